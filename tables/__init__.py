"""Value tables that ship with the package, and the manifest that says how each was made."""
