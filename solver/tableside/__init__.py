"""What is done with games that are played: simulated, judged, advised, asked about, learnt from."""
