"""Files on the disk: atomic writes, value tables, checkpoints, and a record of files already verified.

* ``files``: writes files atomically, recognizes what a file holds, and refuses to overwrite files of another kind.
* ``table_files``: the format of value tables; start reading there.
* ``checkpoints``: finished layers of a long solve, from which an interrupted solve resumes.
* ``verified_files``: remembers which large files had the right checksum, so that they are not read again.
"""
