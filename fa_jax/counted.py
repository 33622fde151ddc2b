"""Numbers of things, in words."""


def counted(number: int, thing: str) -> str:
    """1 sentence, 1,000 sentences."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
