# SPDX-License-Identifier: MIT
"""Sphinx's settings for the site that scripts/docs builds; see build.py, which stages the sources."""

from __future__ import annotations

import os
import re
from pathlib import Path

ROOT = Path(os.environ["TRUNKLINE_ROOT"])
STAGED = Path(os.environ["TRUNKLINE_STAGED"])
VERSION = re.search(r'^version = "(.*)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
assert VERSION

project = "Trunkline"
author = "The Trunkline Authors"
project_copyright = "2026 The Trunkline Authors"
version = release = VERSION[1]

extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc"]
root_doc = "index"
html_theme = "furo"
html_title = f"Trunkline {version}"
html_show_sphinx = False
html_copy_source = False

# Headings can be linked to as on the pages of the repository.
myst_heading_anchors = 4
# A type hint that only type checkers import is a bare name, and `Channel` may be either kind's.
suppress_warnings = ["ref.python"]

breathe_projects = {"trunkline": str(STAGED.parent / "xml")}
breathe_default_project = "trunkline"
breathe_domain_by_extension = {"h": "cpp"}
breathe_show_include = False
cpp_id_attributes = ["TRUNKLINE_API"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
# Public classes share private base classes, whose members are theirs. Those of the standard library are left out.
autodoc_default_options = {
    "members": True,
    "inherited-members": "RpcError,Future,BaseException,dict,tuple,int,Generic,ABC",
}
python_use_unqualified_type_names = True
