"""What the person who runs the bot needs beside it: checks, backups, health pages."""
