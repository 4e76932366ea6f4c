"""How Sphinx builds the site; what it reads is written by ``generate.py``."""

from keepwise import __version__

project = "Keepwise"
author = "The Keepwise authors"
release = version = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["extra"]
html_extra_path = ["extra"]

highlight_language = "none"  # of listings that name no language
html_theme = "furo"
html_title = "Keepwise"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False

myst_heading_anchors = 4
add_module_names = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
# Every link of a page must lead somewhere; types in signatures may be those of other packages, or of no page.
nitpick_ignore_regex = [("py:.*", ".*")]
