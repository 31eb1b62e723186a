r"""Numbers and units of siunitx (`\SI{5}{\kilo\gram}`), as a person would type them."""

import re

_PREFIXES = {
    "yocto": "y", "zepto": "z", "atto": "a", "femto": "f", "pico": "p", "nano": "n", "micro": "µ", "milli": "m",
    "centi": "c", "deci": "d", "deca": "da", "hecto": "h", "kilo": "k", "mega": "M", "giga": "G", "tera": "T",
    "peta": "P", "exa": "E", "kibi": "Ki", "mebi": "Mi", "gibi": "Gi",
}  # fmt: skip
_UNITS = {
    "metre": "m", "meter": "m", "second": "s", "gram": "g", "kelvin": "K", "ampere": "A", "mole": "mol",
    "candela": "cd",
    "hertz": "Hz", "newton": "N", "pascal": "Pa", "joule": "J", "watt": "W", "volt": "V", "ohm": "Ω", "tesla": "T",
    "farad": "F", "henry": "H", "coulomb": "C", "weber": "Wb", "siemens": "S", "lumen": "lm", "lux": "lx",
    "electronvolt": "eV", "percent": "%", "degree": "°", "celsius": "°C", "degreeCelsius": "°C", "minute": "min",
    "hour": "h", "day": "d", "litre": "L", "liter": "L", "bit": "bit", "byte": "B", "decibel": "dB", "bel": "B",
    "angstrom": "Å", "arcminute": "′", "arcsecond": "″", "tonne": "t", "bar": "bar", "dalton": "Da", "parsec": "pc",
    "radian": "rad", "steradian": "sr", "becquerel": "Bq", "sievert": "Sv", "gray": "Gy", "um": "µm", "us": "µs",
    "uA": "µA", "uV": "µV", "uW": "µW", "celcius": "°C", "squared": "²", "cubed": "³",
}  # fmt: skip
_POWERS = {"square": "²", "cubic": "³"}
_TOKEN = re.compile(r"\\([A-Za-z]+)|\^\{?(-?\d+)\}?|[~.\s{}]+|([^\\~.\s{}^]+|\^)")
_UP = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_CLOSE = ("%", "°", "′", "″")
"""Units that stand right behind their number."""

QUANTITIES = {"SI": 2, "qty": 2, "num": 1, "si": 1, "unit": 1, "ang": 1, "SIrange": 3, "qtyrange": 3, "numrange": 2}
"""Command to the number of its arguments."""


def quantity(name: str, arguments: list[str]) -> str:
    """What such a command shows; `arguments` are its source, without braces."""
    given = [argument.strip() for argument in arguments]
    match name, given:
        case "num", [number]:
            return number
        case "ang", [number]:
            return f"{number}°"
        case (("si" | "unit"), [written]):
            return unit(written)
        case (("SI" | "qty"), [number, written]):
            return _with(number, unit(written))
        case "numrange", [first, last]:
            return f"{first} to {last}"
        case _, [first, last, written]:
            return f"{first} to {_with(last, unit(written))}"
        case _:
            return " ".join(given)


def _with(number: str, sign: str) -> str:
    return f"{number}{sign}" if sign in _CLOSE else f"{number} {sign}".strip()


def unit(written: str) -> str:
    r"""A unit given by commands or letters: `\meter\per\second` is `m/s`."""
    parts: list[str] = []
    power, glued = "", False
    for token in _TOKEN.finditer(written):
        name, exponent, letters = token.groups()
        if exponent:
            parts.append(exponent.translate(_UP))
        elif name == "per":
            parts.append("/")
            glued = True
        elif name in _POWERS:
            power = _POWERS[name]
        elif name in ("squared", "cubed"):
            parts.append(_UNITS[name])
        elif name in _PREFIXES:
            parts.append(("" if glued or not parts else " ") + _PREFIXES[name])
            glued = True
        elif sign := _UNITS.get(name or "", name or letters):
            parts.append(("" if glued or not parts else " ") + sign + power)
            power, glued = "", False
    return "".join(parts)
