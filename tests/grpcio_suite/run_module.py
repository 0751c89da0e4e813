# SPDX-License-Identifier: MIT
"""Runs the test cases of one module and writes a line of JSON for each as soon as it begins and ends, so that what has
been found survives a case that does not end. Usage: run_module.py MODULE RESULTS [--only CASE...] [--without CASE...]"""

import argparse
import faulthandler
import importlib
import json
import os
import re
import sys
import traceback
import unittest


def name_of(case, module):
    """Class.test, or Class.setUpClass where that fails."""
    found = re.match(r"(\w+) \((.+)\)", case.id())
    name = f"{found[2]}.{found[1]}" if found else case.id()
    return name.removeprefix(f"{module}.")


class Recorder(unittest.TestResult):
    """Writes what happens to each case; the first thing that goes wrong with it counts."""

    def __init__(self, module, output):
        super().__init__()
        self._module = module
        self._output = output
        self._ended = set()

    def _write(self, case, outcome, text=""):
        name = name_of(case, self._module)
        if outcome != "started":
            if name in self._ended:
                return
            self._ended.add(name)
        print(json.dumps({"case": name, "outcome": outcome, "text": text}), file=self._output, flush=True)

    def startTest(self, test):  # noqa: N802
        super().startTest(test)
        self._write(test, "started")

    def _fault(self, case, error):
        self._write(case, "failed", "".join(traceback.format_exception(*error)))

    def addSuccess(self, test):  # noqa: N802
        self._write(test, "passed")

    def addError(self, test, err):  # noqa: N802
        self._fault(test, err)

    def addFailure(self, test, err):  # noqa: N802
        self._fault(test, err)

    def addSubTest(self, test, subtest, err):  # noqa: N802
        if err is not None:
            self._fault(test, err)

    def addSkip(self, test, reason):  # noqa: N802
        self._write(test, "skipped", reason)

    def addExpectedFailure(self, test, err):  # noqa: N802
        self._write(test, "passed")

    def addUnexpectedSuccess(self, test):  # noqa: N802
        self._write(test, "failed", "the case is expected to fail, and passes")


def cases_of(suite):
    for each in suite:
        if isinstance(each, unittest.TestSuite):
            yield from cases_of(each)
        else:
            yield each


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("module")
    parser.add_argument("results")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--without", nargs="*", default=[])
    arguments = parser.parse_args()
    import grpc

    if (grpc.__name__ == "trunkline.grpc") != (os.environ["TRUNKLINE_AS_GRPC"] == "1"):
        raise RuntimeError(f"grpc is {grpc.__name__} of {grpc.__file__}")
    # The runner sends SIGABRT to a process that does not go on.
    faulthandler.enable()
    with open(arguments.results, "a", encoding="utf-8") as output:
        try:
            module = importlib.import_module(arguments.module)
        except BaseException:
            line = {"case": "import", "outcome": "failed", "text": traceback.format_exc()}
            print(json.dumps(line), file=output, flush=True)
            return 1
        chosen = unittest.TestSuite()
        for case in cases_of(unittest.defaultTestLoader.loadTestsFromModule(module)):
            name = name_of(case, arguments.module)
            if name not in arguments.without and (not arguments.only or name in arguments.only):
                chosen.addTest(case)
        chosen.run(Recorder(arguments.module, output))
        print(json.dumps({"case": "", "outcome": "all", "text": ""}), file=output, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
