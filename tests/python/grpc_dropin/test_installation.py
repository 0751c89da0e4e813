# SPDX-License-Identifier: MIT
"""``install``: one module under two names, and the compatibility aliases of private modules of grpcio."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import trunkline.grpc
import trunkline.grpc.aio

from .pairs import SOON, Pair

INSTALLED = "import importlib, pickle, sys\nimport trunkline.grpc\ntrunkline.grpc.install()\n"


def run(program: str, folder: Path | None = None) -> None:
    """Runs a program after ``install`` in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", INSTALLED + program], capture_output=True, text=True, timeout=3 * SOON, cwd=folder
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "program",
    [
        "import grpc.aio._metadata as a\nimport trunkline.grpc.aio._metadata as b",
        "import trunkline.grpc.aio._metadata as b\nimport grpc.aio._metadata as a",
        "import trunkline.grpc.aio\nimport grpc.aio as a\nfrom trunkline.grpc import aio as b",
        "from grpc import aio as a\nimport grpc.aio\nb = sys.modules['grpc.aio']",
        "from grpc.experimental import aio as a\nimport grpc.experimental.aio as b",
        "from grpc.experimental import aio as a\nimport grpc.aio as b",
        "import grpc.experimental as a\nimport trunkline.grpc.experimental as b",
        "import grpc._status_code as a\nb = sys.modules['trunkline.grpc._status_code']",
        "a = importlib.import_module('grpc._server')\nb = importlib.import_module('._server', 'trunkline.grpc')",
        "import grpc._channel as a\nfrom trunkline.grpc import _channel as b",
        "import trunkline.grpc\na = trunkline.grpc._cython.cygrpc\nfrom grpc._cython import cygrpc as b",
        "import trunkline.grpc.aio._call as a\nfrom grpc.aio import _call as b",
    ],
)
def test_a_module_is_one_object_under_both_names(program: str) -> None:
    run(f"{program}\nassert a is b\n")


def test_classes_are_those_of_the_package() -> None:
    run(
        "from grpc.aio._metadata import Metadata\n"
        "from grpc.aio import Metadata as public\n"
        "from grpc.aio._base_call import Call\n"
        "import grpc\n"
        "assert Metadata is public is trunkline.grpc.aio.Metadata\n"
        "assert Call is grpc.aio.Call\n"
    )


def test_modules_are_reloaded_by_their_own_names() -> None:
    run(
        "import grpc.aio\n"
        "before = grpc.aio\n"
        "assert importlib.reload(grpc.aio) is before is sys.modules['trunkline.grpc.aio']\n"
        "assert (before.__name__, before.__spec__.name) == ('trunkline.grpc.aio',) * 2\n"
        "assert importlib.util.find_spec('grpc.aio').origin == before.__file__\n"
        "assert importlib.util.find_spec('grpc._nothing') is None\n"
    )


def test_further_packages_below_grpc_are_found(tmp_path: Path) -> None:
    tmp_path.joinpath("below.py").write_text("NAME = 'b'\n")

    run(
        "import types, grpc\n"
        "added = types.ModuleType('grpc.added')\n"
        f"added.__path__ = [{str(tmp_path)!r}]\n"
        "sys.modules['grpc.added'] = added\n"
        "import grpc.added.below\n"
        "assert sys.modules['grpc.added.below'].NAME == 'b'\n"
    )


def test_objects_are_pickled() -> None:
    run(
        "import grpc\n"
        "code = grpc.StatusCode.NOT_FOUND\n"
        "assert pickle.loads(pickle.dumps(code)) is code\n"
        "assert pickle.loads(b'cgrpc.aio._metadata\\nMetadata\\n.') is grpc.aio.Metadata\n"
    )


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("import grpc._nothing", "ModuleNotFoundError"),
        ("import grpc.framework", "ModuleNotFoundError"),
        ("import grpc.experimental.nothing", "ModuleNotFoundError"),
        ("from grpc import nothing", "ImportError"),
        ("from grpc._channel import _RPCState", "ImportError"),
        ("import grpc; grpc._channel.nothing", "AttributeError"),
        ("import grpc; grpc._nothing", "AttributeError"),
    ],
)
def test_unknown_names_raise_as_usual(statement: str, error: str) -> None:
    run(f"try:\n    {statement}\nexcept {error}:\n    pass\nelse:\n    raise SystemExit('it has not raised')\n")


def test_relative_imports_of_generated_packages(tmp_path: Path) -> None:
    package = tmp_path / "generated"
    package.mkdir()
    package.joinpath("__init__.py").write_text("")
    package.joinpath("messages.py").write_text("NAME = 'm'\n")
    package.joinpath("stubs.py").write_text("import grpc\nfrom grpc import aio\nfrom . import messages\n")

    run("from generated import stubs\nassert stubs.aio is trunkline.grpc.aio and stubs.messages.NAME == 'm'", tmp_path)


def test_uninstall_leaves_grpcio_to_be_imported() -> None:
    run(
        "import grpc.aio, grpc._channel\n"
        "trunkline.grpc.install()\n"
        "trunkline.grpc.uninstall()\n"
        "assert not [name for name in sys.modules if name.split('.')[0] == 'grpc']\n"
        "import grpc.aio\n"
        "assert grpc is not trunkline.grpc and grpc.aio is not trunkline.grpc.aio\n"
        "with trunkline.grpc.imported_as_grpc():\n"
        "    import grpc.aio._metadata as ours\n"
        "assert ours is sys.modules['trunkline.grpc.aio._metadata']\n"
        "assert sys.modules['grpc'] is grpc and sys.modules['grpc.aio'] is grpc.aio\n"
        "trunkline.grpc.uninstall()\n"
        "assert sys.modules['grpc'] is grpc\n"
    )


def test_uninstall_after_grpc_was_removed() -> None:
    """Frameworks of tests and reloaders remove modules."""
    run(
        "import grpc.aio\n"
        "del sys.modules['grpc']\n"
        "trunkline.grpc.uninstall()\n"
        "import grpc.aio\n"
        "assert grpc is not trunkline.grpc and grpc.aio is not trunkline.grpc.aio\n"
    )


def test_nothing_is_found_below_another_grpc() -> None:
    run(
        "del sys.modules['grpc']\n"
        "finder = sys.meta_path.pop(0)\n"
        "import grpc\n"
        "sys.meta_path.insert(0, finder)\n"
        "import grpc.experimental, grpc.aio\n"
        "assert 'trunkline' not in grpc.experimental.__file__ + grpc.aio.__file__\n"
    )


def test_install_within_a_block() -> None:
    run(
        "with trunkline.grpc.imported_as_grpc():\n"
        "    trunkline.grpc.install()  # again\n"
        "trunkline.grpc.uninstall()\n"
        "with trunkline.grpc.imported_as_grpc():\n"
        "    try:\n"
        "        trunkline.grpc.install()\n"
        "    except RuntimeError as error:\n"
        "        assert 'in a block of' in str(error)\n"
        "    else:\n"
        "        raise AssertionError\n"
        "import grpc\n"
        "assert grpc is not trunkline.grpc\n"
    )


def test_aliases_have_a_loader() -> None:
    run(
        "import grpc._channel, importlib.util\n"
        "for name in ('grpc._channel', 'trunkline.grpc._channel'):\n"
        "    assert sys.modules[name] is grpc._channel\n"
        "    assert importlib.util.find_spec(name).loader is not None, name\n"
    )


def test_aliases_exist_in_grpcio() -> None:
    import importlib

    from trunkline.grpc._compatibility import ALIASES, alias_module

    for name, members in ALIASES.items():
        theirs, ours = importlib.import_module(f"grpc.{name}"), alias_module(name)
        for member in members:
            assert hasattr(theirs, member), f"grpc.{name}.{member}"
            assert getattr(ours, member) is not None
            assert member in dir(ours)


def test_names_of_options_are_those_of_grpcio() -> None:
    from grpc._cython.cygrpc import ChannelArgKey

    ours = trunkline.grpc._cython.cygrpc.ChannelArgKey

    names = [name for name in vars(ours) if not name.startswith("__")]
    assert {name: getattr(ours, name) for name in names} == {name: getattr(ChannelArgKey, name) for name in names}
    options = [(ours.max_send_message_length, 5), (ours.max_receive_message_length, 5)]
    trunkline.grpc.insecure_channel("127.0.0.1:9", options=options).close()


def test_private_classes_of_errors(pair: Pair) -> None:
    import grpc._channel

    private = grpc._channel if pair.client is not trunkline.grpc else trunkline.grpc._channel

    with pair.client.insecure_channel("127.0.0.1:9") as channel:
        with pytest.raises(private._InactiveRpcError):
            channel.unary_unary("/t.T/M")(b"", timeout=SOON)
        call = channel.unary_stream("/t.T/M")(b"", timeout=SOON)
        assert isinstance(call, private._MultiThreadedRendezvous)
        with pytest.raises(private._Rendezvous):
            next(call)
        with pytest.raises(private._Rendezvous):
            next(channel.unary_stream("/t.T/M")(b"", metadata=(("A", "b"),), timeout=SOON))


def responding(module: Any, private: Any) -> Any:
    """An interceptor that makes outcomes of the private classes."""

    class Respond(module.UnaryUnaryClientInterceptor):  # type: ignore[misc]
        def intercept_unary_unary(self, continuation: object, details: object, request: bytes) -> Any:
            if request == b"fail":
                return private._FailureOutcome(ValueError("no"), None)
            return private._UnaryOutcome(request + b"!", None)

    return Respond()


def test_outcomes_of_interceptors(pair: Pair) -> None:
    import grpc._interceptor

    private = grpc._interceptor if pair.client is not trunkline.grpc else trunkline.grpc._interceptor

    with pair.client.insecure_channel("127.0.0.1:9") as plain:
        call = pair.client.intercept_channel(plain, responding(pair.client, private)).unary_unary("/t.T/M")

        assert call(b"a") == b"a!"
        with pytest.raises(ValueError, match="no"):
            call(b"fail")
