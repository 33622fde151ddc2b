from tests.tiny import cli_call, corpus, shared, trained  # noqa: F401
