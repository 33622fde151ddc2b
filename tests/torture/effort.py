"""How often a property is tried: a little in `make test`, as often as asked in `make torture`."""

import os

from hypothesis import HealthCheck, Phase, settings

TIMES = int(os.environ.get("FA_JAX_TORTURE", "0"))
"""How many times as often as in `make test`; 0: this is `make test`."""


def tried(count: int, *, shrinks: bool = True) -> settings:
    """A property that `make test` tries so often, with the same examples each time.

    shrinks: whether a smaller example is looked for where one fails; not where each takes seconds.
    """
    return settings(
        max_examples=count * max(TIMES, 1),
        deadline=None,
        database=None,
        derandomize=not TIMES,
        print_blob=bool(TIMES),
        phases=[Phase.explicit, Phase.generate, *[Phase.shrink] * shrinks],
        suppress_health_check=[*HealthCheck],
    )
