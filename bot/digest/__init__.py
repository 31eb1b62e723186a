"""The paper of the day: when it is due, which it is, how it looks, and the ledger that it is delivered once."""
