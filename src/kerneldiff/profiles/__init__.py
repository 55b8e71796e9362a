"""A linked trace to one run: identity, representative step, dispatch, views, epilogues, traffic, pace."""
