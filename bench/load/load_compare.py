#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Runs the load cells: for each, the machine's limit, ours and the peer in turn, several rounds, as two processes over
# loopback, and prints the medians as ratios within this one run. With --before another build takes the peer's place.
# With --over our client speaks another protocol to our server, beside the native one; with gRPC also to gRPC C++'s
# server.
# With --fleet our channel is one to a fleet, of which our server is the only one, beside a channel to its endpoint.
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
CELLS = "8/1/1 1024/1/1 65536/1/1 8/1/50 8/1/500 1024/1/500 65536/1/50 8/5/5000 1024/5/5000"
OVER_CELLS = "8/1/1 8/1/500 1024/1/500 65536/1/50"
FIELDS = ("calls_per_second", "p50_us", "p99_us", "cpu_us_per_call", "calls", "all_calls")
START_SECONDS = 10


class LoadError(Exception):
    """A program did not start, failed, or gave a wrong response."""


def frame_bytes(payload):
    """Our frame of a message with one field of that many bytes: 16 of header, a tag, the LEB128 size, the bytes."""
    if payload == 0:
        return 16
    size = 1
    while payload >> (7 * size):
        size += 1
    return 16 + 1 + size + payload


def cpu_seconds(pid):
    """CPU time of all threads of a process so far."""
    total = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            total += int((task / "schedstat").read_text().split()[0])
        except OSError:
            pass  # the thread has ended
    return total / 1e9


class Cell:
    def __init__(self, text, busy_poll, transport):
        try:
            self.payload, self.connections, self.outstanding = (int(part) for part in text.split("/"))
        except ValueError:
            raise LoadError(f"cell '{text}' is not payload/connections/outstanding") from None
        if self.payload < 0 or self.connections < 1 or self.outstanding < self.connections:
            raise LoadError(f"cell '{text}': needs payload >= 0, connections >= 1, outstanding >= connections")
        self.text, self.busy_poll, self.transport = text, busy_poll, transport
        self.name = text + (" unix" if transport == "unix" else "") + (" busy_poll" if busy_poll else "")


class Contestant:
    """One program pair: how its server and its client are started. `prefix`: of the client's endpoint, if not tcp."""

    def __init__(self, server, client, whole_frames=False, has_busy_poll=True, prefix="tcp://"):
        self.server, self.client, self.prefix = server, client, prefix
        self.whole_frames, self.has_busy_poll = whole_frames, has_busy_poll

    def missing_programs(self):
        return [command[0] for command in (self.server, self.client) if not (HERE / command[0]).exists()]

    def run(self, cell, options):
        with tempfile.TemporaryDirectory() as directory:
            endpoint = "tcp://127.0.0.1:0" if cell.transport == "tcp" else f"unix://{directory}/socket"
            shared = ["--bytes", str(frame_bytes(cell.payload) if self.whole_frames else cell.payload)]
            if cell.busy_poll and self.has_busy_poll:
                shared.append("--busy-poll")
            if options.congestion and cell.transport == "tcp":
                shared += ["--congestion", options.congestion]
            server = Process([*self.server, "--endpoint", endpoint, *shared], 0 if options.pin else None)
            try:
                chosen = server.wait_for_endpoint().replace("tcp://", self.prefix)
                before = cpu_seconds(server.pid)
                load = ["--connections", str(cell.connections), "--outstanding", str(cell.outstanding)]
                load += ["--seconds", str(options.seconds), "--warmup", str(options.warmup)]
                client = Process([*self.client, "--endpoint", chosen, *shared, *load], 1 if options.pin else None)
                report = client.wait_for_report(options.seconds + options.warmup + START_SECONDS)
                report["server_cpu_us_per_call"] = (cpu_seconds(server.pid) - before) * 1e6 / report["all_calls"]
                return report
            finally:
                server.stop()


class Process:
    """A load program on one core (core: index among the allowed ones; None: wherever the scheduler puts it)."""

    def __init__(self, command, core):
        self.name = " ".join(command)
        cores = sorted(os.sched_getaffinity(0))
        pinned = {cores[core % len(cores)]} if core is not None else set(cores)
        self.process = subprocess.Popen(
            [str(HERE / command[0]), *command[1:]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            preexec_fn=lambda: os.sched_setaffinity(0, pinned))
        self.pid = self.process.pid

    def wait_for_endpoint(self):
        alarm = threading.Timer(START_SECONDS, self.process.kill)
        alarm.start()
        line = self.process.stdout.readline()
        alarm.cancel()
        if not line.startswith("listening on "):
            self.stop()
            raise LoadError(f"{self.name}: did not listen: {line}{self.process.stderr.read()}")
        return line.removeprefix("listening on ").strip()

    def wait_for_report(self, seconds):
        try:
            out, err = self.process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.stop()
            raise LoadError(f"{self.name}: not done within {seconds} s") from None
        if self.process.returncode != 0:
            raise LoadError(f"{self.name}: ended with {self.process.returncode}: {err}")
        try:
            report = json.loads(out)
        except json.JSONDecodeError:
            raise LoadError(f"{self.name}: printed no report: {out!r}") from None
        if any(field not in report for field in FIELDS) or report["calls"] < 1 or report["calls_per_second"] <= 0:
            raise LoadError(f"{self.name}: no call was counted: {out!r}")
        return report

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


LIMIT = Contestant(["bare_socket", "serve"], ["bare_socket", "client"], whole_frames=True)
OURS = Contestant(["load_server"], ["load_client"])
PEER = Contestant(["grpc_peer", "serve"], ["grpc_peer", "client"], has_busy_poll=False)
PREFIXES = {"grpc": "grpc://", "connect": "http://", "grpc-web": "grpc-web://", "websocket": "ws://"}
PEER_BY_GRPC = Contestant(["grpc_peer", "serve"], ["load_client"], has_busy_poll=False, prefix="grpc://")
# A name of DNS that is an address stands for a fleet of one.
OURS_AS_FLEET = Contestant(["load_server"], ["load_client"], prefix="dns:///")


def measure(cells, contestants, options):
    """Medians by (cell name, contestant). In each round every contestant runs once, one after the other."""
    results = {}
    for number, cell in enumerate(cells, 1):
        print(f"measuring {number}/{len(cells)}: {cell.name}", file=sys.stderr, flush=True)
        runs = {name: [] for name in contestants if name != "peer" or not cell.busy_poll}
        for _ in range(options.rounds):
            for name in runs:
                runs[name].append(contestants[name].run(cell, options))
        for name, reports in runs.items():
            results[cell.name, name] = {key: statistics.median(r[key] for r in reports) for key in reports[0]}
            results[cell.name, name]["cpu_of_rounds"] = [report["cpu_us_per_call"] for report in reports]
    return results


def to_rows(cells, results):
    rows = []
    for cell in cells:
        # The peer has no busy_poll, so that these rows repeat its figure of the plain row.
        plain = cell.name.removesuffix(" busy_poll")
        found = {
            name: results.get((plain if name == "peer" else cell.name, name))
            for name in ("limit", "ours", "peer", "before")
        }
        rate = {name: result and round(result["calls_per_second"]) for name, result in found.items()}
        limit, ours = rate["limit"], rate["ours"]
        rows.append({
            "cell": cell.name, **rate,
            "share_of_limit": round(ours / limit, 3) if ours and limit else None,
            "times_peer": round(ours / rate["peer"], 2) if ours and rate["peer"] else None,
            "times_before": round(ours / rate["before"], 2) if ours and rate["before"] else None,
        })
    return rows


def to_text(value, form):
    return "-" if value is None else format(value, form)


def print_table(cells, rows, results, options):
    where = "server and client each on a core of its own" if options.pin else "cores as the scheduler chooses"
    print(f"calls per second, medians of {options.rounds} interleaved rounds of {options.seconds:g} s, {where}")
    other = "before" if options.before or options.fleet else "peer"
    compared = f"before: the programs of {options.before}" if options.before else "peer: gRPC C++"
    if options.fleet:
        compared = "ours: a channel to a fleet of one server; before: a channel to its endpoint"
    if options.over:
        compared = f"limit: our native protocol; ours: {options.over}, our client and server"
        if options.over == "grpc":
            compared += "; peer: our client and gRPC C++'s server"
    print(f"cell: payload bytes / connections / outstanding calls in total; {compared}; cpu: us per call of ours")
    head = f"{'cell':<24}{'limit':>12}{'ours':>12}{other:>12}{'of limit':>10}{'x ' + other:>10}"
    print(head + f"{'p50 us':>10}{'p99 us':>10}{'client cpu':>12}{'server cpu':>12}")
    for cell, row in zip(cells, rows):
        ours = results.get((cell.name, "ours"), {})
        share = None if row["share_of_limit"] is None else row["share_of_limit"] * 100
        rates = (to_text(row[key], ",d") for key in ("limit", "ours", other))
        line = f"{row['cell']:<24}" + "".join(f"{rate:>12}" for rate in rates)
        line += f"{to_text(share, '.0f') + ('%' if share else ''):>10}"
        line += f"{to_text(row['times_' + other], '.2f' if options.before else '.1f'):>10}"
        for key, form in (
            ("p50_us", ".1f"),
            ("p99_us", ".1f"),
            ("cpu_us_per_call", ".3f"),
            ("server_cpu_us_per_call", ".3f"),
        ):
            line += f"{to_text(ours.get(key), form):>{10 if 'cpu' not in key else 12}}"
        print(line)
        if options.fleet:
            before = results[cell.name, "before"]["cpu_of_rounds"]
            ratios = sorted(a / b for a, b in zip(ours["cpu_of_rounds"], before))
            print(
                f"    client cpu of a call, ours by before, in each round: least {ratios[0]:.3f}, "
                f"median {statistics.median(ratios):.3f}, most {ratios[-1]:.3f}"
            )


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description="load cells as ratios within one interleaved run")
    parser.add_argument("--cells", default="", help="e.g. '8/1/1 8/1/500'")
    parser.add_argument("--seconds", type=float, default=1.0, help="seconds of each run")
    parser.add_argument("--warmup", type=float, default=0.3, help="seconds before counting")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--transports", default="tcp", help="tcp, unix or both: 'tcp unix'")
    parser.add_argument(
        "--congestion", default="", help="TCP congestion control, e.g. cubic; gRPC takes the system's own"
    )
    parser.add_argument(
        "--over", choices=sorted(PREFIXES), help="our client over another protocol beside the native one, over tcp"
    )
    parser.add_argument("--fleet", action="store_true", help="what it costs to call a fleet of one server, over tcp")
    parser.add_argument("--no-busy-poll", action="store_true", help="omit the busy_poll rows")
    parser.add_argument("--no-peer", action="store_true", help="omit gRPC")
    parser.add_argument(
        "--before",
        default="",
        metavar="DIRECTORY",
        help="load programs of another build, in turn with these; without gRPC",
    )
    parser.add_argument("--no-pin", dest="pin", action="store_false", help="let the scheduler place the processes")
    parser.add_argument("--quick", action="store_true", help="short: 3 rounds of 0.5 s, no peer, no busy_poll")
    parser.add_argument("--json", default="", help="also write the rows to this file")
    options = parser.parse_args(arguments)
    if options.quick:
        options.rounds, options.seconds, options.no_peer, options.no_busy_poll = 3, 0.5, True, True
    options.cells = options.cells or (OVER_CELLS if options.over else CELLS)
    if options.over:
        options.no_busy_poll = True
        options.no_peer = options.no_peer or options.over != "grpc"
        if options.before or options.transports != "tcp":
            parser.error("--over goes without --before, and over tcp alone")
    if options.fleet:
        options.no_busy_poll = True
        if options.before or options.over or options.transports != "tcp":
            parser.error("--fleet goes without --before and --over, and over tcp alone")
    if options.rounds < 1 or not 0 < options.seconds <= 60 or not 0 <= options.warmup <= 60:
        parser.error("needs rounds >= 1, 0 < seconds <= 60, 0 <= warmup <= 60")
    if not set(options.transports.split()) or set(options.transports.split()) - {"tcp", "unix"}:
        parser.error(f"transports '{options.transports}' are not among tcp, unix")
    return options


def main(arguments):
    options = parse_arguments(arguments)
    contestants = {"limit": LIMIT, "ours": OURS, "peer": PEER}
    if options.over:
        ours = Contestant(["load_server"], ["load_client"], prefix=PREFIXES[options.over])
        contestants = {"limit": OURS, "ours": ours, "peer": PEER_BY_GRPC}
    if options.before:
        before = pathlib.Path(options.before).resolve()
        contestants["before"] = Contestant([str(before / "load_server")], [str(before / "load_client")])
    if options.fleet:
        contestants = {"ours": OURS_AS_FLEET, "before": OURS, "peer": PEER}
    if options.no_peer or options.before or options.fleet or PEER.missing_programs():
        del contestants["peer"]
    try:
        spins = (False,) if options.no_busy_poll else (False, True)
        cells = [
            Cell(text, spin, transport)
            for transport in options.transports.split()
            for text in options.cells.split()
            for spin in spins
        ]
        if not cells:
            raise LoadError("no cell to measure")
        missing = [program for contestant in contestants.values() for program in contestant.missing_programs()]
        if missing:
            raise LoadError(f"not built: {', '.join(missing)}")
        results = measure(cells, contestants, options)
        rows = to_rows(cells, results)
        print_table(cells, rows, results, options)
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    except (LoadError, OSError) as error:
        print(f"load_compare: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
