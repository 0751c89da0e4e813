# SPDX-License-Identifier: MIT
"""docs/guide/options.md lists every option of the headers and of the package, with their real units, ranges and
defaults."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import trunkline
from trunkline import services

from .pages import GUIDE, ROOT

HEADERS = ROOT / "include/trunkline"
SIZES = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "year": 365 * 86400.0}
UNITS = {"nanoseconds": "ns", "microseconds": "us", "milliseconds": "ms", "seconds": "s"}
#: The kinds of objects whose keywords the second column means, by the heading of the table.
OWNERS = {
    "ConnectionLimits": ("channel", "server"),
    "TransportOptions": ("channel", "server"),
    "TlsOptions": ("channel", "server"),
    "EventLoopOptions": ("channel", "server"),
    "ChannelOptions": ("channel",),
    "BalancingOptions": ("channel",),
    "OutlierOptions": ("channel",),
    "BreakerOptions": ("channel",),
    "BackoffOptions": ("channel",),
    "HedgingOptions": (),
    "ServerOptions": ("server",),
    "CallOptions": ("call",),
    "OverloadOptions": ("server",),
    "MethodOptions": ("method",),
    "AnnounceOptions": ("announcement",),
    "OpenApiOptions": (),
    "ConsoleOptions": (),
}


class Row(NamedTuple):
    """A row of a table. ``table``: the struct. ``python``: the keyword; empty if there is none. ``owners``: the objects
    that take the keyword."""

    table: str
    name: str
    python: str
    owners: tuple[str, ...]
    unit: str
    range: str
    default: str


class Member(NamedTuple):
    """A member of a struct as its header declares it. ``default``: the expression; empty for ``{}``."""

    type: str
    name: str
    default: str


def rows() -> list[Row]:
    found, table = [], ""
    for line in (GUIDE / "options.md").read_text().splitlines():
        if line.startswith("## "):
            heading = re.search(r"`(\w+)`", line)
            table = heading[1] if heading else "services"
        cells = [cell.strip().strip("`") for cell in line.strip("|").split(" | ")]
        if not line.startswith("| `") or len(cells) != 6:
            continue
        name, python, unit, span, default, _ = cells
        owners = OWNERS.get(table, ())
        if python in ("channel", "server"):
            owners, python = (python,), "same"
        if other := re.fullmatch(r"(\w+)` \((channel|server)\)", python):
            python, owners = other[1], (other[2],)
        python = {"same": name, "-": "", "flat": "", "other": ""}.get(python, python)
        found.append(Row(table, name, python, owners, unit, span, default))
    return found


ROWS = rows()


def members(struct: str) -> list[Member]:
    for header in HEADERS.glob("**/*.h"):
        text = re.sub(r"//.*", "", header.read_text())
        body = re.search(rf"^struct {struct} \{{\n(.*?)^\}};", text, re.DOTALL | re.MULTILINE)
        if body:
            declared = re.findall(r"([\w:<>,\s\*]+?)\s+(?!operator)(\w+)\s*(?:=\s*([^;]+)|\{([^;]*)\})?;", body[1])
            return [Member(kind.strip(), name, (equals or braces).strip()) for kind, name, equals, braces in declared]
    raise AssertionError(f"no header declares struct {struct}")


def number(text: str) -> float | None:
    """Returns the number in a cell of a table: a count, bytes, or seconds. None for other cells."""
    text = text.replace("`", "").strip()
    if text == "2^31 - 1":
        return 2**31 - 1
    parts = re.fullmatch(r"([\d.]+)(?: (\w+))?", text)
    if not parts or (parts[2] and parts[2] not in SIZES and parts[2] not in SECONDS):
        return None
    return float(parts[1]) * (SIZES.get(parts[2]) or SECONDS.get(parts[2], 1.0))


def declared_default(member: Member) -> float | None:
    """Returns the declared default, for durations in seconds. None if it is not a number."""
    expression = re.sub(r"(\d)u\b", r"\1", member.default.replace("'", ""))
    if not re.fullmatch(r"[\d.<< ]+", expression):
        return None
    value = float(eval(expression))  # noqa: S307: digits and shifts
    return value * next((SECONDS[short] for name, short in UNITS.items() if f"chrono::{name}" in member.type), 1.0)


STRUCTS = [*OWNERS]


@pytest.mark.parametrize("struct", STRUCTS)
def test_the_table_of_a_struct_has_its_members_in_order(struct: str) -> None:
    assert [row.name for row in ROWS if row.table == struct] == [member.name for member in members(struct)]


@pytest.mark.parametrize("struct", STRUCTS)
def test_units_and_defaults_are_those_of_the_header(struct: str) -> None:
    table = {row.name: row for row in ROWS if row.table == struct}
    for member in members(struct):
        row = table[member.name]
        for name, short in UNITS.items():
            assert (f"chrono::{name}" in member.type) == (row.unit == short), member.name
        if member.name.endswith("_bytes"):
            assert row.unit == "bytes"
        declared = declared_default(member)
        if declared is not None:
            assert number(row.default) == pytest.approx(declared), member.name
        elif member.default in ("true", "false"):
            assert row.default == member.default
        elif "::" in member.default and "(" not in member.default:
            assert row.default == member.default.rpartition("::")[2]
        elif member.default.startswith('"'):
            assert row.default == member.default.replace('"', "").strip()
        elif member.default.startswith("&"):
            assert row.default == member.default.removeprefix("&"), member.name
        else:
            assert member.default in ("", "nullptr") or "with_defaults" in member.default, member
            assert row.default in ("empty", "none", "-", "the built-in ones"), member.name


def keywords(options: Any) -> set[str]:
    return {name for kind in options.__mro__ for name in getattr(kind, "__annotations__", {})} | set(
        options.__annotations__
    )


@pytest.mark.parametrize(
    ("owner", "options"),
    [("channel", trunkline.ChannelOptions), ("server", trunkline.ServerOptions), ("call", trunkline.CallOptions)],
)
def test_the_tables_have_every_keyword_of_python(owner: str, options: Any) -> None:
    assert {row.python for row in ROWS if row.python and owner in row.owners} == keywords(options)


def test_the_table_of_methods_has_the_keywords_of_a_method() -> None:
    taken = {
        name
        for name, parameter in inspect.signature(trunkline.Server.add).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
    }

    assert {row.python for row in ROWS if row.table == "MethodOptions" and row.python} == taken


def test_the_table_of_announcements_has_the_keywords_and_defaults_of_python() -> None:
    taken = {
        name: parameter.default
        for name, parameter in inspect.signature(trunkline.Server.announce).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
    }
    table = {row.python: row for row in ROWS if row.table == "AnnounceOptions"}

    assert table.keys() == taken.keys()
    for name, default in taken.items():
        assert default == (number(table[name].default) if isinstance(default, (int, float)) else type(default)())


def test_the_built_in_services_have_the_defaults_of_the_table() -> None:
    checked = 0
    for row in ROWS:
        call = re.fullmatch(r"(add_\w+)\((\w+)=\.\.\.\)", row.python)
        struct, _, member = row.name.rpartition("::")
        ours, _, pythons = row.default.partition("; Python ")
        if struct:
            declared = {each.name: declared_default(each) for each in members(struct)}
            assert declared == {member: number(ours)}, row.name
            checked += 1
        if call:
            default = inspect.signature(getattr(services, call[1])).parameters[call[2]].default
            assert default == number(pythons), row.name
    assert checked == 4


def test_the_table_of_openapi_has_the_keywords_and_defaults_of_python() -> None:
    parameters = inspect.signature(services.add_openapi).parameters
    taken = {name: each.default for name, each in parameters.items() if each.kind is each.KEYWORD_ONLY}

    assert taken == {row.name: row.default.replace("empty", "") for row in ROWS if row.table == "OpenApiOptions"}


def test_the_table_of_the_console_has_the_keywords_and_defaults_of_python() -> None:
    parameters = inspect.signature(trunkline.Server.add_console).parameters
    taken = {name: each.default for name, each in parameters.items() if each.kind is each.KEYWORD_ONLY}

    assert {name: str(default or "empty") for name, default in taken.items()} == {
        row.name: row.default for row in ROWS if row.table == "ConsoleOptions"
    }


#: Rows whose range has numbers, with each kind of object that takes them.
NUMERIC = [
    pytest.param(row, owner, id=f"{owner}-{row.python}")
    for row in ROWS
    if row.python and row.unit != "list" and number(row.range.removesuffix(" or more").partition(" to ")[0]) is not None
    for owner in row.owners
    if owner in ("channel", "server")
]


def bounds(row: Row) -> tuple[float | None, float | None]:
    """Returns the lowest and the highest value of the range. None for a bound that does not exist or is another
    option."""
    low, _, high = row.range.removesuffix(" or more").partition(" to ")
    return number(low), number(high) if high else None


def accepts(owner: str, row: Row, value: float, folder: Path) -> bool:
    """Returns whether a value is accepted. Options of sockets are checked when a socket is made, others when a channel
    or server is made."""
    options: dict[str, Any] = {row.python: value}
    if row.name == "max_message_bytes":
        options["max_unread_bytes"] = 1 << 40
    if row.name == "initial":
        options["backoff_maximum"] = SECONDS["year"]
    if row.name == "ejection_time":
        options["outlier_max_ejection_time"] = SECONDS["year"]
    try:
        if owner == "server":
            made = trunkline.Server(threads=1, **options)
            if row.table == "TransportOptions":
                made.serve(f"unix://{folder}/socket").stop()
            return True
        with trunkline.Server(threads=1).serve(f"unix://{folder}/socket") as running:
            with trunkline.Channel(running.endpoint, **options) as channel:
                if row.table == "TransportOptions":
                    channel.call("nothing", timeout=20.0)
        return True
    except trunkline.Unimplemented:  # the server has seen the call
        return True
    except (ValueError, trunkline.InvalidArgument) as error:
        assert row.python in str(error) or row.name in str(error)
        return False


@pytest.mark.parametrize(("row", "owner"), NUMERIC)
def test_a_range_ends_where_the_table_says(row: Row, owner: str, tmp_path: Path) -> None:
    lowest, highest = bounds(row)
    beyond = SECONDS.get(row.unit, 0.01 if row.unit == "ratio" else 1)

    def refused(value: float) -> bool:
        is_whole = row.unit in ("bytes", "count", "percent")
        return not accepts(owner, row, int(value) if is_whole else value, tmp_path)

    if lowest is not None:
        assert not refused(lowest)
        assert refused(lowest - beyond)
    if highest is not None:
        assert not refused(highest)
        # A float of Python does not tell a year from a nanosecond more.
        assert refused(highest + (max(beyond, 1e-6 * highest) if row.unit in SECONDS else beyond))


def test_unread_bytes_begin_at_the_longest_message() -> None:
    assert trunkline.Server(max_message_bytes=1000, max_unread_bytes=1000)
    with pytest.raises(ValueError, match="max_unread_bytes"):
        trunkline.Server(max_message_bytes=1000, max_unread_bytes=999)
