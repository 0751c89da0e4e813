# SPDX-License-Identifier: MIT
"""mypy-protobuf and types-grpcio: mypy takes a program with ``import trunkline.grpc as grpc`` as it takes it with grpcio,
together with the stubs that mypy-protobuf has written, finds the same mistakes in it, and the program runs."""

import implementation  # isort: skip

import pathlib
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(__file__).with_name("typed_program.py")
IMPORTS = {"grpcio": "import grpc\nimport grpc.aio", "trunkline": "import trunkline.grpc as grpc"}
DEFINITION = """\
syntax = "proto3";
package test;
message Text { string text = 1; }
service TextCalls {
  rpc Upper(Text) returns (Text);
  rpc Letters(Text) returns (stream Text);
  rpc Join(stream Text) returns (Text);
  rpc Chat(stream Text) returns (stream Text);
}
"""
#: Lines that are added to the program, each with a mistake, and the codes that mypy gives them.
MISTAKES = {
    'grpc.insecure_channel(5)': "arg-type",
    'grpc.insecure_channel("a").unary("b")': "attr-defined",
    "grpc.StatusCode.FINE": "attr-defined",
    'text_pb2_grpc.TextCallsStub(grpc.insecure_channel("a")).Upper("b")': "arg-type",
    "text_pb2_grpc.add_TextCallsServicer_to_server(Service(), 5)": "arg-type",
    'grpc.aio.insecure_channel("a").close("b")': "arg-type",
}


def run(*command: object, folder: str) -> subprocess.CompletedProcess[str]:
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=folder, check=False, capture_output=True, text=True)


def generate(folder: str) -> None:
    pathlib.Path(folder, "text.proto").write_text(DEFINITION)
    tools = pathlib.Path(sys.executable).parent
    plugins = [f"--plugin=protoc-gen-{name}={tools / f'protoc-gen-{name}'}" for name in ("mypy", "mypy_grpc")]
    outputs = [f"--{name}_out=." for name in ("python", "grpc_python", "mypy", "mypy_grpc")]
    # protoc's own module for Python, which needs grpcio, is another process.
    made = run(sys.executable, "-m", "grpc_tools.protoc", "-I.", *plugins, *outputs, "text.proto", folder=folder)
    assert made.returncode == 0, made.stdout + made.stderr


def check_types(program: pathlib.Path, folder: str) -> list[str]:
    """What mypy reports, without the name of the file."""
    checked = run(sys.executable, "-m", "mypy", "--strict", "--no-error-summary", program.name, folder=folder)
    assert not checked.stderr, checked.stderr
    return [line.removeprefix(f"{program.name}:") for line in checked.stdout.splitlines()]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        generate(folder)
        text = PROGRAM.read_text().replace("from GRPC import grpc", IMPORTS[implementation.NAME])
        program = pathlib.Path(folder, "program.py")
        program.write_text(text)
        assert check_types(program, folder) == []

        # The generated module imports grpcio by its name.
        start = "import trunkline.grpc; trunkline.grpc.install(); " if implementation.NAME == "trunkline" else ""
        start += "import runpy; runpy.run_path('program.py', run_name='__main__')"
        ran = run(sys.executable, "-c", start, folder=folder)
        assert ran.returncode == 0, ran.stdout + ran.stderr

        wrong = pathlib.Path(folder, "wrong.py")
        first = len(text.splitlines()) + 1
        wrong.write_text(text + "".join(f"{line}\n" for line in MISTAKES))
        found = {line.partition(":")[0]: line.rpartition("[")[2].rstrip("]") for line in check_types(wrong, folder)}
        assert found == {str(first + index): code for index, code in enumerate(MISTAKES.values())}, found


if __name__ == "__main__":
    main()
    implementation.check()
