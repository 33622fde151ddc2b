"""The study: what was asked of trained models, and what was found.

One module for each table or figure that is published: `python -m experiments.table1` writes it
from stored records, after it has trained what they lack. `measuring` holds what a run of the study
is and what was measured of it; `tables` writes Markdown; `drawing` draws.
"""
