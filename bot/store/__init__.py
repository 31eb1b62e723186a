"""What outlives a restart, on SQLite or PostgreSQL: one repository module a concern, over shared tables."""
