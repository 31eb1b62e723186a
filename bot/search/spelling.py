"""British and American spelling brought together, on single lower-case words, before stemming.

Both sides of a search pass through here, so a rule may coin a word that nobody writes (`noize`) as long as
no two different words become one.
"""

import re

_KEEPS_S = re.compile(
    r"(?:.*(?:wise|vise|cise|prise|mise|guise|noise|poise|praise|raise|rise|cruise|bruise|demise|chise)"
    r"|otherwise|expertise|treatise|paradise|merchandise|appraise|disease|please|close|dose|advertise|chastise)"
    r"(?:[sdr]|rs)?"
)
_MEANS_Z = {"optimise", "minimise", "maximise", "customise", "randomise", "itemise", "epitomise", "euphemise"}
_MEANS_Z |= {"criticise", "publicise", "exorcise", "italicise", "anonymise", "economise", "victimise"}
_ISE = re.compile(r"(?P<stem>.{2,}?)is(?P<end>e|ed|es|er|ers|ing|ation|ations|able)")
_YSE = re.compile(
    r"(?P<stem>(?:an|par|cat|electrol|hydrol|dial)al|anal|paral|catal|electrol|hydrol|dial)ys(?P<end>e|ed|er|ers|ing)"
)
_OUR = re.compile(
    r"(?P<stem>behavi|neighb|col|fav|hum|lab|flav|hon|harb|rum|vap|endeav|arm|od|rig|sav|tum|val|vig|cand|clam|dem|fer|glam|parl|rancy)our(?P<end>.*)"
)
_OTHERS = {
    "centre": "center", "centres": "centers", "centred": "centered", "fibre": "fiber", "fibres": "fibers",
    "metre": "meter", "metres": "meters", "litre": "liter", "theatre": "theater", "calibre": "caliber",
    "catalogue": "catalog", "catalogues": "catalogs", "analogue": "analog", "dialogue": "dialog",
    "dialogues": "dialogs", "defence": "defense", "defences": "defenses", "offence": "offense",
    "licence": "license", "practise": "practice", "grey": "gray", "programme": "program",
    "programmes": "programs", "artefact": "artifact", "artefacts": "artifacts", "ageing": "aging",
    "judgement": "judgment", "judgements": "judgments", "acknowledgement": "acknowledgment",
    "modelled": "modeled", "modelling": "modeling", "modeller": "modeler", "labelled": "labeled",
    "labelling": "labeling", "unlabelled": "unlabeled", "travelled": "traveled", "travelling": "traveling",
    "traveller": "traveler", "signalling": "signaling", "signalled": "signaled", "channelled": "channeled",
    "cancelled": "canceled", "cancelling": "canceling", "fuelled": "fueled", "fuelling": "fueling",
    "focussed": "focused", "focussing": "focusing", "mislabelled": "mislabeled", "tunnelling": "tunneling",
    "levelled": "leveled", "marvellous": "marvelous", "skilful": "skillful", "fulfil": "fulfill",
    "enrol": "enroll", "tumour": "tumor", "tumours": "tumors", "haemoglobin": "hemoglobin",
    "paediatric": "pediatric", "anaemia": "anemia", "leukaemia": "leukemia", "oestrogen": "estrogen",
    "foetal": "fetal", "ischaemic": "ischemic", "ischaemia": "ischemia", "aeroplane": "airplane",
    "sulphur": "sulfur", "aluminium": "aluminum", "cheque": "check", "tyre": "tire", "mould": "mold",
}  # fmt: skip


def american(word: str) -> str:
    """A lower-case word in American spelling: `quantisation` gives `quantization`, `behaviour` `behavior`."""
    if other := _OTHERS.get(word):
        return other
    if "our" in word and (found := _OUR.fullmatch(word)):
        return f"{found['stem']}or{found['end']}"
    if "ys" in word and (found := _YSE.fullmatch(word)):
        return f"{found['stem']}yz{found['end']}"
    if "is" in word and len(word) > 5 and (found := _ISE.fullmatch(word)):
        base = f"{found['stem']}ise"
        if base in _MEANS_Z or not _KEEPS_S.fullmatch(base):
            return f"{found['stem']}iz{found['end']}"
    return word
