from tests.tiny import cli_call, corpus, trained  # noqa: F401
