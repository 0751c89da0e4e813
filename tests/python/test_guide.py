# SPDX-License-Identifier: MIT
"""The Python programs of docs/guide, each in its own process; and that its pages link to each other."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from .pages import GUIDE, ROOT, programs

#: Pages about Python alone.
PYTHON_ONLY = {"coming-from-grpcio"}
#: Pages whose programs others run: tests/proxies, js/tests.
ELSEWHERE = {"proxies", "javascript", "seven-ways"}
PAGES = sorted(path.stem for path in GUIDE.glob("*.md") if programs(path, "python") and path.stem not in ELSEWHERE)


def test_every_subject_has_programs_in_both_languages() -> None:
    subjects = {path.stem for path in GUIDE.glob("*.md")} - {"README", "options"} - ELSEWHERE

    assert set(PAGES) == subjects
    for page in PAGES:
        assert len(programs(GUIDE / f"{page}.md", "cpp")) == (page not in PYTHON_ONLY), page


@pytest.mark.parametrize("page", PAGES)
def test_program(page: str, tmp_path: Path) -> None:
    shown = programs(GUIDE / f"{page}.md", "python")
    assert len(shown) == 1
    program = tmp_path / "program.py"
    program.write_text(shown[0].text)
    if page == "tls":
        subprocess.run([ROOT / "examples/06_tls/make_certificates", tmp_path / "certificates"], check=True)

    done = subprocess.run(
        [sys.executable, "-W", "error", str(program)], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, shown[0].output, "")


def test_the_index_lists_every_page() -> None:
    listed = re.findall(r"\]\(([a-z-]+\.md)\)", (GUIDE / "README.md").read_text())

    assert sorted(listed) == sorted(path.name for path in GUIDE.glob("*.md") if path.name != "README.md")
