# SPDX-License-Identifier: MIT
"""
Builds the documentation as one site: the pages of the repository, and the reference of both languages.

Usage: build.py [--check]    Writes build/docs/html; with --check it only looks for warnings, and renders nothing.
It needs doxygen, and a Python in which the package trunkline and its extra `docs` are installed. Warnings are errors,
and a broken link is a warning. Nothing is fetched.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/docs"
STAGED = BUILD / "source"
XML = BUILD / "xml"
SOURCES = re.findall(r'^Source = "(.*)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)[0] + "/blob/main"
#: Pages and pictures; the index is staged to the top, and the pages of the reference are made here.
STAGED_PATTERNS = (
    "*.md",
    "docs/**/*.md",
    "docs/**/*.svg",
    "python/README.md",
    "examples/README.md",
    "bench/contest/README.md",
    "tests/**/*.md",
)
PYTHON_MODULES = {
    "trunkline": "Blocking servers and channels, and what both kinds share.",
    "trunkline.aio": "Servers and channels for asyncio.",
    "trunkline.services": "The built-in services: health, reflection and statistics.",
    "trunkline.testing": "Servers and fakes for tests.",
    "trunkline.generate": "Modules of messages, services and clients from definitions.",
}


def stage() -> None:
    if STAGED.exists():
        shutil.rmtree(STAGED)
    for pattern in STAGED_PATTERNS:
        for path in ROOT.glob(pattern):
            target = STAGED / path.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    shutil.rmtree(STAGED / "docs/site")
    shutil.copyfile(ROOT / "docs/site/index.md", STAGED / "index.md")
    for page in STAGED.rglob("*.md"):
        page.write_text(link_to_sources(page), encoding="utf-8")


def link_to_sources(page: Path) -> str:
    """The text of a staged page, whose links to files that are no pages lead to the project's sources."""
    folder = ROOT / page.relative_to(STAGED).parent

    def linked(link: re.Match[str]) -> str:
        target = folder / link[1].partition("#")[0]
        if "://" in link[1] or link[1].startswith("#") or not target.exists():
            return link[0]
        relative = target.resolve().relative_to(ROOT)
        return link[0] if (STAGED / relative).is_file() else f"]({SOURCES}/{relative})"

    return re.sub(r"\]\(([^)\s]+)\)", linked, page.read_text(encoding="utf-8"))


def summary_of(header: Path) -> str:
    """The second line of a header, which says what the header owns."""
    return header.read_text(encoding="utf-8").splitlines()[1].removeprefix("// ")


def write_cpp_pages(folder: Path) -> list[str]:
    names = []
    for header in sorted((ROOT / "include/trunkline").glob("*.h")):
        names.append(header.stem)
        lines = [f"# `<trunkline/{header.name}>`", "", summary_of(header), ""]
        lines += [f"```{{doxygenfile}} {header.name}", ":sections: enum func typedef var", "```"]
        xml = XML / f"{header.stem.replace('_', '__')}_8h.xml"
        for inner in ElementTree.parse(xml).iter("innerclass"):
            name = inner.text or ""
            if name.count("::") == 1 and "<" not in name and inner.get("prot") == "public":
                kind = "struct" if (inner.get("refid") or "").startswith("struct") else "class"
                lines += ["", f"```{{doxygen{kind}}} {name}", ":members:", ":undoc-members:", "```"]
        (folder / f"{header.stem}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return names


def write_python_pages(folder: Path) -> list[str]:
    for module, summary in PYTHON_MODULES.items():
        lines = [f"# `{module}`", "", summary, "", "```{eval-rst}", f".. automodule:: {module}", "```"]
        (folder / f"{module}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return list(PYTHON_MODULES)


def write_reference() -> None:
    for language, title, write in (
        ("cpp", "C++ headers", write_cpp_pages),
        ("python", "Python modules", write_python_pages),
    ):
        folder = STAGED / "reference" / language
        folder.mkdir(parents=True)
        names = write(folder)
        lines = [f"# {title}", "", "```{toctree}", ":maxdepth: 1", "", *names, "```"]
        (folder / "index.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def run(*command: str) -> int:
    environment = {**os.environ, "TRUNKLINE_ROOT": str(ROOT), "TRUNKLINE_STAGED": str(STAGED)}
    return subprocess.run(command, cwd=ROOT, env=environment).returncode


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    BUILD.mkdir(parents=True, exist_ok=True)
    if run("doxygen", "docs/site/Doxyfile") != 0:
        return 1
    stage()
    write_reference()
    builder, output = ("dummy", "check") if arguments else ("html", "html")
    settings = ["-c", str(ROOT / "docs/site"), "-d", str(BUILD / "doctrees"), "-q", "-W", "--keep-going"]
    code = run(sys.executable, "-m", "sphinx", "-b", builder, *settings, str(STAGED), str(BUILD / output))
    if code == 0:
        print(f"docs: {'no warnings' if arguments else f'wrote {(BUILD / output).relative_to(ROOT)}/index.html'}")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
