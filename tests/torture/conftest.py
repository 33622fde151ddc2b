from tests.tiny import corpus, shared, trained  # noqa: F401
from tests.torture.effort import TIMES

SLOW = ["test_hosts.py", "test_interrupted.py"]  # an example takes half a minute
collect_ignore = [] if TIMES else SLOW
