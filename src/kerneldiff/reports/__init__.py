"""Values to text: one file a format. Only reports draw."""
