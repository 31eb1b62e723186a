"""What a digest is and when it runs: pure values and reckoning, below what keeps them and what delivers them."""
