"""A part of a delivery and its stored number: rows written by any version decode to the same part."""

import hashlib
from datetime import date

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from bot.schedule.values import MAIN, MESSAGES, Part, posting_key, slot_of
from bot.store.database import Database
from bot.store.rows import main_number

NUMBERS = st.integers(0, 10_000)
PARTS = st.builds(Part, st.integers(0, 1_000), st.integers(0, MESSAGES - 1))


@given(NUMBERS)
def test_every_stored_number_is_one_part(number: int) -> None:
    assert Part.of(number).number == number


@given(PARTS)
def test_every_part_comes_back(part: Part) -> None:
    assert Part.of(part.number) == part


@given(PARTS, PARTS)
def test_parts_are_in_the_order_of_their_numbers(one: Part, other: Part) -> None:
    assert (one < other) == (one.number < other.number)


@pytest.mark.parametrize(
    ("number", "extra", "threaded", "main"),
    [(0, False, False, 0), (1, False, True, 0), (10, True, False, 10), (11, True, True, 10), (30, True, False, 30)],
)
def test_what_the_numbers_of_old_rows_say(number: int, *, extra: bool, threaded: bool, main: int) -> None:
    part = Part.of(number)
    assert (part.extra, part.threaded, part.main.number) == (extra, threaded, main)


@pytest.mark.parametrize("wrong", [(-1, 0), (0, -1), (0, MESSAGES)])
def test_a_part_without_a_number_is_none(wrong: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="messages"):
        Part(*wrong)


def test_keys_and_slots_are_those_of_old_rows() -> None:
    day = date(2026, 7, 1)
    for number in (0, 1, 10, 11):
        before = hashlib.sha256(f"7/2026-07-01/{number}".encode()).hexdigest()[:24]
        assert posting_key(7, day, Part.of(number)) == before
    assert [slot_of(day, part) for part in (MAIN, MAIN.thread, Part(1), Part(2, 1))] == [
        "2026-07-01/000", "2026-07-01/000", "2026-07-01/010", "2026-07-01/020",
    ]  # fmt: skip


async def test_the_database_reckons_the_same_main_message() -> None:
    database = await Database.open("sqlite:///:memory:")
    try:
        async with database.read() as connection:
            for number in (0, 1, 9, 10, 11, 25, 310):
                found = await connection.execute(sa.select(main_number(sa.literal(number))))
                assert found.scalar_one() == Part.of(number).main.number
    finally:
        await database.close()
