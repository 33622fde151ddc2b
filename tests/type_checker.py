"""beartype as jaxtyping's import hook calls it: an int may stand where a float is asked for."""

from beartype import BeartypeConf, beartype

check = beartype(conf=BeartypeConf(is_pep484_tower=True))
