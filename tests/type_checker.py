"""beartype as jaxtyping's import hook calls it: an int may stand where a float is asked for."""

from beartype import BeartypeConf, beartype

written = beartype(conf=BeartypeConf(is_pep484_tower=True))
_known = {}


def check(signature):
    """What checks a signature, which is a function without a body.

    Functions inside others are made anew with every call of those. Their checks are written once.
    """
    if "<locals>" not in signature.__qualname__:
        return written(signature)
    names = signature.__code__.co_varnames
    key = (signature.__module__, signature.__qualname__, names, *signature.__annotations__.items())
    return _known.get(key) or _known.setdefault(key, written(signature))
