"""Two runs to a diff: align, relations, facets, noise, waterfall, summary."""
