"""Certificates: numbers below and above every value, proved in whole numbers, and the file that they stand in."""
