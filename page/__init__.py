"""The built program of the page, which ``keepwise.output.adviser_page`` puts around its data. Sources are beside it."""
