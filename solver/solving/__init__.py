"""From a problem to its solution: a shipped or cached value table, or a new solve.

A *solved problem* is a problem, its value table, and the source of that table. The package stands above ``solvers``.
The solvers know nothing of files and caches, so that imports go one way.

* ``solve``: finds a table or solves the problem; start reading there.
* ``solved_problem``: the solved problem, on which everything that answers, evaluates or prints is built.
* ``table_store``: shipped tables, the user's cache, and the validation of tables from files.
"""
