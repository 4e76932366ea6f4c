"""What all rooms stand on: errors and their words, text, arguments, escapes, what other libraries are needed for."""
