"""How much each sign of a name counts. Tuned on half of a venue's papers whose titles give their names."""

WEIGHTS = {
    # it is introduced
    "direct": 6.0,
    "bracket": 6.0,
    "headed": 5.0,
    "appositive": 4.0,
    "determined": 3.0,
    "coordinated": 4.0,
    "called": 6.0,
    "passive": 5.0,
    "apposed": 5.0,
    "yielded": 3.0,
    "our": 3.0,
    "first": 1.0,
    # what is said of it
    "defined": 3.5,
    "described": 1.5,
    "subject": 1.5,
    "claimed": 1.5,
    "mention": 0.4,
    "bold": 2.0,
    "italic": 0.7,
    "repository": 4.0,
    "stem": 0.5,
    # how it is written
    "odd": 1.5,
    "coined": 1.0,
    "expanded": 1.0,
    # what speaks against it
    "known": -8.0,
    "background": -3.0,
    "phenomenon": -6.0,
    "reported": -1.2,
    "qualifies": -2.0,
}
