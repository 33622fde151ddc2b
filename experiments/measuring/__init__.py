"""What a run of the study is, and what was measured of it."""
