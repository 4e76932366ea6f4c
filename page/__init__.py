"""The built program of the page: what ``keepwise.pages`` puts around its data. The sources stand beside it."""
