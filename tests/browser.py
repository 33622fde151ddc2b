"""The browser that this machine has."""

import shutil

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "msedge")


def browser():
    """Its command; a test that needs one is skipped where there is none."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip(f"no browser here: {', '.join(BROWSERS)}")
    return found
