from tests.tiny import cli_call, corpus, shared, trained, unscored  # noqa: F401
