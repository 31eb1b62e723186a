"""Walks over rich text: every node with the characters that it covers, and texts changed in place."""

from bot.richtext import Code, Emphasis, LineBreak, Link, Mark, Math, Strong, Text, map_text, plain, walk

NODES = (
    Text("We "),
    Strong((Text("prove "), Emphasis((Math("τ", r"\tau"),)))),
    LineBreak(),
    Link("https://example.org", (Text("it"), Mark((Text("!"),)))),
    Code("x"),
)


def test_a_walk_gives_the_inside_of_a_node_before_it() -> None:
    assert plain(NODES) == "We prove τ\nit!x"
    assert [(start, end, type(node).__name__) for start, end, node in walk(NODES)] == [
        (0, 3, "Text"),
        (3, 9, "Text"),
        (9, 10, "Math"),
        (9, 10, "Emphasis"),
        (3, 10, "Strong"),
        (10, 11, "LineBreak"),
        (11, 13, "Text"),
        (13, 14, "Text"),
        (13, 14, "Mark"),
        (11, 14, "Link"),
        (14, 15, "Code"),
    ]


def test_an_empty_node_covers_nothing() -> None:
    assert list(walk((Text("a"), Strong(()), Text("b")))) == [
        (0, 1, Text("a")),
        (1, 1, Strong(())),
        (1, 2, Text("b")),
    ]


def test_only_texts_are_changed() -> None:
    assert map_text(NODES, str.upper) == (
        Text("WE "),
        Strong((Text("PROVE "), Emphasis((Math("τ", r"\tau"),)))),
        LineBreak(),
        Link("https://example.org", (Text("IT"), Mark((Text("!"),)))),
        Code("x"),
    )


def test_what_does_not_change_is_the_same_object() -> None:
    assert map_text(NODES, lambda text: text) is NODES
    changed = map_text(NODES, lambda text: text.replace("We", "They"))
    assert changed[1] is NODES[1]
    assert changed[3] is NODES[3]
