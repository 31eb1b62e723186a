"""English words that tell little about a paper, by how little."""

_FUNCTION_WORDS = """
    a about above after again all also am an and any are as at be because been before being between both but by
    can could did do does doing down during each few for from further had has have having he her here hers
    him his how i if in into is it its itself just me more most my no nor not now of off on once only or other
    our out over own same she should so some such than that the their them then there these they this those
    through to too under until up very was we were what when where which while who whom why will with would you
    your dont cant
"""
STOP_WORDS = frozenset(_FUNCTION_WORDS.split())
"""The function words of English: they carry no meaning alone, and are searched for only inside phrases."""

_LIGHT_WORDS = """
    make makes making made get gets getting give gives given go goes going take takes taking put puts let lets
    want wants need needs use uses used using useful look looks looking thing things way ways lot lots good better
    best bad really actually often always never already still yet even well back away around without within across
    happen happens become becomes come comes say says said known know seen see like via per
"""
LIGHT_WORDS = frozenset(_LIGHT_WORDS.split())
"""Words of every text: in a small corpus few papers have them by chance, which must not make them telling."""

_REQUEST_WORDS = """
    paper papers article articles publication publications find show list tell please interested
"""
ASKING = frozenset(_REQUEST_WORDS.split())
"""Words of a request rather than of what it is about; they count only where nothing else is left."""
