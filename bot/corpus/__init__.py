"""From files to papers."""
