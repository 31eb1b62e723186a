"""Word lists of English, as abstracts use it, that the rules of this package share."""


def words(lines: str) -> frozenset[str]:
    """The words of a white-space separated list."""
    return frozenset(lines.split())


def either(lines: str) -> str:
    """A regular expression's alternatives from a white-space separated list; `_` stands for a space."""
    return "|".join(lines.split()).replace("_", " ")


VERBS = words("""
    accelerate accommodate account achieve acquire adapt add address adjust admit adopt advance aggregate aim align
    alleviate allocate allow amplify analyze analyse anchor apply approximate argue arise ask assess assign assume
    attain attribute augment automate avoid balance become begin boost break bridge bring build bypass calibrate
    capture cause characterize choose clarify close collapse collect combine compare compensate complement compose
    compress comprise compute concentrate conclude conduct confirm connect consider consist constitute constrain
    construct consume contain contend contribute control converge convert correct couple cover create curate decide
    decompose decouple decrease define degrade deliver demonstrate depend deploy derive describe detect determine
    develop devise diagnose differ discard discover disentangle distill distinguish diverge dominate drive edit elicit
    eliminate embed emerge emphasize employ enable encode encourage enforce engage enhance enjoy enrich ensure
    establish estimate evaluate evolve examine exceed excel execute exhibit expand explain exploit explore expose
    express extend extract facilitate factorize fail favor feature fill find focus follow force form formalize
    formulate foster fuse gain generalize generate give govern grow guarantee guide handle help hide highlight hinder
    hold hypothesize identify ignore illustrate implement imply impose improve incorporate increase incur indicate
    induce infer inherit inject instantiate integrate interpret introduce investigate invoke involve isolate
    jeopardize keep know lack lead learn leave let leverage lie lift limit localize look lose lower maintain make
    manage match maximize mean meet merge minimize mirror mitigate model modulate motivate move narrow necessitate
    need neglect observe obscure obtain occur offer open operate optimize organize outline outperform outpredict
    overcome overlook oversee partition pave penalize perform persist pose posit predict prefer present preserve
    prevent prioritize proceed process produce project promote propagate propose prove provide pursue quantify raise
    reach realize rebuild recast receive recognize reconcile reconstruct recover rectify reduce refine reflect
    reformulate reframe regularize regulate reinforce reject relax release rely remain remove render reorder replace
    report represent reproduce require reshape resolve respond restore restrict result retain retrieve return reuse
    reveal revisit reweight rewrite route satisfy save scale search select separate serve shape share shift show
    sidestep simplify simulate solve span specify speed stabilize state steer stem store strengthen struggle study
    suffer suggest summarize support suppress surpass sustain synthesize tackle tailor take target tend track train
    transfer transform translate treat trigger turn uncover underperform underscore understand undermine unify unlock
    equip repurpose filter rank route schedule discourage recover compensate rectify reconcile alternate mine verbalize
    update upweight use utilize validate vary verify view violate weaken weight work yield
""")
"""Verbs in their plain form."""

_NOUNS_TOO = words("""
    account address advance aim anchor approach attribute balance boost break bridge cause control cover drive edit
    embed engage estimate express feature find focus force form gain guide handle help highlight hold increase lack
    lead lift limit look match mean model move need offer open process project report result return reuse search shape
    share shift span speed state stem store struggle study support target track train transfer transform trigger turn
    update use view weight work yield scale partition contrast decrease present release complement collapse lower
    narrow correct separate
""")
"""Verbs whose plain form is as often a noun or an adjective."""


def _third(verb: str) -> str:
    if verb.endswith(("s", "x", "z", "ch", "sh")):
        return verb + "es"
    return verb[:-1] + "ies" if verb.endswith("y") and verb[-2] not in "aeou" else verb + "s"


def _present_participle(verb: str) -> str:
    if verb in {"begin", "control", "let", "transfer", "stem", "incur", "occur", "distill", "forget", "embed"}:
        return verb + ("" if verb == "distill" else verb[-1]) + "ing"
    return verb[:-1] + "ing" if verb.endswith("e") and not verb.endswith(("ee", "oe")) else verb + "ing"


AUXILIARIES = words("""
    is are was were has have had do does did can could may might will would shall should must cannot am
""")
FINITE = AUXILIARIES | {_third(verb) for verb in VERBS - _NOUNS_TOO} | (VERBS - _NOUNS_TOO)
"""Forms that are most likely the verb of a clause."""
THIRD = {_third(verb) for verb in VERBS}
PARTICIPLES = {_present_participle(verb) for verb in VERBS} - words("""
    training learning modeling processing embedding understanding weighting searching routing editing tracking testing
    meaning
""")
"""Forms in -ing that open a clause after a comma, those left out that are more often nouns."""

PREPOSITIONS = words("""
    about above across after against along amid among around as at before behind below beneath beside between beyond
    by despite down during except for from given in including inside into like near of off on onto out outside over
    past per since through throughout to toward towards under unlike until up upon using versus via vs with within
    without
""")
DETERMINERS = words("""
    a an the this that these those its their our my your his her each every any some no both either neither all such
    another several many much most more few fewer less
""")
CONJUNCTIONS = words("and or but nor yet so that which who whom whose where when while whereas whether because if")
"""Words that a sentence cannot end in, with the prepositions and determiners."""
