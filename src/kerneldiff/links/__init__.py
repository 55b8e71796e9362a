"""Trace columns to a linked trace: launches, operators, steps, regions, graph replays, coverage."""
