"""Recurrent models of JoeyNMT (Kreutzer et al. 2019), read as runs."""
