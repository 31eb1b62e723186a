"""Paperboy: finds, summarises and delivers a conference's papers in Slack, Discord and the terminal."""

__version__ = "0.1.0"
