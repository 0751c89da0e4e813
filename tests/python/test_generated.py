# SPDX-License-Identifier: MIT
"""Modules that python -m trunkline.generate has written, imported and used at every possible place."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest
from trunkline.generate import GenerationError
from trunkline.generate._tools import plugin_path

from .generation import FILES, python, run, tree, write_files, write_plugin
from .readme import ROOT

HERE = Path(__file__).parent / "generated"

IMPORT_ALL = """
import importlib, sys
from pathlib import Path
for file in sorted(Path(sys.argv[1]).rglob("*_pb2.py")):
    importlib.import_module(".".join(file.with_suffix("").parts))
    print(file)
"""

USE_PUBLIC_IMPORTS = """
from {package}shop.orders import list_pb2, order_pb2
order = order_pb2.Order(top=order_pb2.Top(value=order_pb2.RED), item=order_pb2.Item())
assert list_pb2.List(orders=[order], top=order.top).orders[0].top.value == 0
"""


@pytest.fixture
def plugin() -> str:
    """Returns the path of the plugin that was built, or of the installed one."""
    try:
        return plugin_path(os.environ.get("TRUNKLINE_BUILT_PLUGIN"))
    except GenerationError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize(
    "out, root, package",
    [("top/below/gen", ".", "top.below.gen."), ("gen", ".", "gen."), ("gen", "gen", "")],
    ids=["below a package", "a package", "a directory"],
)
@pytest.mark.parametrize("implementation", ["upb", "python"])
def test_messages_import_each_other(tmp_path: Path, out: str, root: str, package: str, implementation: str) -> None:
    protos = write_files(tmp_path / "protos")
    init = ["--package-init"] if package else []
    (tmp_path / "top").mkdir()
    (tmp_path / "top/__init__.py").touch()
    assert run("--plugin", write_plugin(tmp_path), "--out", out, *init, protos, cwd=tmp_path).stderr == ""

    cwd, environment = tmp_path / root, {"PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": implementation}
    done = python("-c", IMPORT_ALL, "." if root == out else out, cwd=cwd, **environment)
    used = python("-c", USE_PUBLIC_IMPORTS.format(package=package), cwd=cwd, **environment)

    assert (done.stderr, done.stdout.count("\n")) == ("", len(FILES))
    assert (used.returncode, used.stderr) == (0, "")


@pytest.mark.parametrize("implementation", ["upb", "python"])
@pytest.mark.parametrize("imports, module", [("relative", "gen.top_pb2"), ("absolute", "top_pb2")])
def test_public_imports_of_modules_with_a_keyword(
    tmp_path: Path, imports: str, module: str, implementation: str
) -> None:
    top = 'import public "class/kind.proto"; message Top { Kind kind = 1; }'
    files = {"class/kind.proto": "message Kind { int32 value = 1; } enum Sort { GOOD = 0; }", "top.proto": top}
    protos = write_files(tmp_path / "protos", files)
    arguments = ["--plugin", write_plugin(tmp_path), "--out", "gen", "--imports", imports]
    assert run(*arguments, protos, cwd=tmp_path).stderr == ""

    use = f"import {module} as top; assert top.Top(kind=top.Kind(value=3)).kind.value == 3 + top.GOOD"
    use += "; assert top.DESCRIPTOR.name == 'top.proto'"
    cwd = tmp_path if imports == "relative" else tmp_path / "gen"
    done = python("-c", use, cwd=cwd, PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=implementation)

    assert (done.returncode, done.stderr) == (0, "")


def test_files_of_one_package_in_several_runs(tmp_path: Path, plugin: str) -> None:
    service = 'import "a/b/item.proto"; import "top.proto"; service Shop { rpc Buy(test.Item) returns (test.Top); }'
    files = {
        "a/b/item.proto": "package test; message Item { int32 value = 1; }",
        "top.proto": 'package test; import "a/b/item.proto"; message Top { Item item = 1; }',
        "a/shop.proto": service,
    }
    protos = write_files(tmp_path / "protos", files)

    run_one = ["--plugin", plugin, "--package-init", "--out=gen", "-Iprotos"]
    for chosen in (["--no-messages", "protos/a/shop.proto"], *([f"protos/{name}"] for name in files)):
        assert run(*run_one, *chosen, cwd=tmp_path).stderr == ""
    several = tree(tmp_path / "gen")
    done = python("-c", "import gen.a.shop_trunkline", cwd=tmp_path)
    assert run(*run_one, protos, cwd=tmp_path).stderr == ""

    assert (done.returncode, done.stderr) == (0, "")
    assert several == tree(tmp_path / "gen")


def test_nothing_but_imports_is_touched(tmp_path: Path) -> None:
    protos, plugin = write_files(tmp_path / "protos"), write_plugin(tmp_path)
    for imports in ("absolute", "relative"):
        assert run("--plugin", plugin, "--out", imports, "--imports", imports, protos, cwd=tmp_path).stderr == ""

    absolute, relative = tree(tmp_path / "absolute"), tree(tmp_path / "relative")
    changed = [
        (old, new)
        for name, text in sorted(absolute.items())
        for old, new in zip(text.splitlines(), relative[name].splitlines(), strict=True)
        if old != new
    ]

    messages = [(old, new) for old, new in changed if old.startswith(("import ", "from ")) and " as " in old]
    assert ("import top_pb2 as top__pb2", "from ... import top_pb2 as top__pb2") in messages
    assert (
        "from shop import items_pb2 as shop_dot_items__pb2",
        "from .. import items_pb2 as shop_dot_items__pb2",
    ) in messages
    assert ("from shop.items_pb2 import *", "from ..items_pb2 import *") in changed
    assert (
        "shop_dot_class_dot_kinds__of__pb2 = importlib.import_module('shop.class.kinds_of_pb2')",
        "shop_dot_class_dot_kinds__of__pb2 = importlib.import_module('..class.kinds_of_pb2', __package__)",
    ) in changed
    assert all("import" in old for old, _ in changed)
    assert not any("google" in old for old, _ in changed)


@pytest.mark.parametrize("imports, module", [("relative", "gen.speaker_trunkline"), ("absolute", "speaker_trunkline")])
def test_a_service_of_every_kind(tmp_path: Path, plugin: str, imports: str, module: str) -> None:
    assert run("--plugin", plugin, "--out", "gen", "--imports", imports, HERE / "protos", cwd=tmp_path).stderr == ""

    cwd = tmp_path if imports == "relative" else tmp_path / "gen"
    done = python(HERE / "program.py", module, cwd=cwd)

    assert (done.returncode, done.stderr) == (0, "")


def test_what_the_readme_shows(tmp_path: Path, plugin: str) -> None:
    shown = dict(re.findall(r"```(proto|sh|py)\n(.*?)```", (ROOT / "python" / "README.md").read_text(), re.DOTALL))
    assert shown["sh"] == "python -m trunkline.generate --out api --package-init protos\n"
    (tmp_path / "protos").mkdir()
    (tmp_path / "protos/greeter.proto").write_text(shown["proto"])
    (tmp_path / "program.py").write_text(shown["py"])

    generated = run("--plugin", plugin, *shown["sh"].split()[3:], cwd=tmp_path)
    done = python("program.py", cwd=tmp_path)

    assert (generated.returncode, generated.stderr) == (0, "")
    assert (done.stdout, done.stderr) == ("hello, ann\nhello, ann\n['a', 'n', 'n']\n", "")


TEXT = "package test.words; message Text { string value = 1; } message Letter { string value = 1; }"

TYPED = """
import trunkline
from gen import speaker_trunkline
from gen.words import text_pb2

class Speaker(speaker_trunkline.SpeakerService):
    def say(self, request: text_pb2.Text, context: trunkline.Context) -> text_pb2.Text:
        return request

server = trunkline.Server()
server.add_service(Speaker())
client = speaker_trunkline.SpeakerClient(trunkline.Channel("tcp://127.0.0.1:1"), timeout=1.0)

def call() -> None:
    reveal_type(client.say(text_pb2.Text(value="a")))
    reveal_type(client.say.submit(text_pb2.Text()))
    reveal_type(client.join([text_pb2.Text()]))
    reveal_type(client.spell(text_pb2.Text()))
    reveal_type(list(client.measure([text_pb2.Text()])))
    client.say("a")
    client.say(text_pb2.Text(), timeot=1.0)
"""

REPORTED = [
    'Revealed type is "gen.words.text_pb2.Text"',
    'Revealed type is "trunkline._sync.futures.CallFuture[gen.words.text_pb2.Text]"',
    'Revealed type is "gen.words.text_pb2.Text"',
    'Revealed type is "trunkline._sync.client_stream.ClientStream[Any, gen.words.text_pb2.Letter]"',
    'Revealed type is "list[Any]"',
    'Argument 1 to "__call__" of "UnaryMethod" has incompatible type "str"; expected "Text"  [arg-type]',
    'Unexpected keyword argument "timeot" for "__call__" of "UnaryMethod"; did you mean "timeout"?  [call-arg]',
    '"__call__" defined in "trunkline._sync.client_methods"',
]


@pytest.mark.timeout(600)
def test_type_checkers_know_generated_modules(tmp_path: Path, plugin: str) -> None:
    # Stubs of protoc 3.21 are no Python where a keyword is in a folder's name.
    protos = write_files(tmp_path / "protos", {"words/text.proto": TEXT})
    shutil.copy(HERE / "protos/speaker.proto", protos)
    assert run("--plugin", plugin, "--out", "gen", "--package-init", protos, cwd=tmp_path).stderr == ""
    (tmp_path / "typed.py").write_text(TYPED)
    environment = {"MYPY_CACHE_DIR": str(tmp_path / "cache"), "MYPYPATH": ""}

    options = ["--no-error-summary", "--ignore-missing-imports"]
    done = python("-W", "default", "-m", "mypy", *options, "typed.py", cwd=tmp_path, **environment)

    reported = re.findall(r"^typed\.py:\d+: \w+: (.*)$", done.stdout, re.MULTILINE)
    assert reported == REPORTED, done.stdout
