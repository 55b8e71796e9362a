"""Bytes to columns: one reader per trace format behind one column contract."""
