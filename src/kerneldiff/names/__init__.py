"""Text to facts: what a kernel's name says. Knows nothing of traces."""
