"""Languages by name."""

from babel import Locale, UnknownLocaleError


def language_name(code: str) -> str:
    """Of a language in English; of an unknown one its code."""
    try:
        return Locale.parse(code, sep="-").english_name or code
    except (ValueError, UnknownLocaleError):
        return code
