from tests.tiny import corpus, shared, trained  # noqa: F401
from tests.torture.effort import TIMES

collect_ignore = [] if TIMES else ["test_interrupted.py"]  # an example takes half a minute
