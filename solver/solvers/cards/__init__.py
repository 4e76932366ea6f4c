"""Cards of categories: alone for points or a total, and two players."""
