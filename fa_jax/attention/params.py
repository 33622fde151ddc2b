"""Parameters: a nested dict of arrays, or whatever reads like one (Flax's frozen dict)."""

from collections.abc import Mapping
from typing import Any

Params = Mapping[str, Any]
