// SPDX-License-Identifier: MIT
// Finds and runs the Python interpreter, for features that the Python package implements.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trunkline::cli::process {

/// Returns the path of the program as execvp(3) finds it on `path` (in the form of $PATH); empty if there is none.
std::string find_program(const std::string& name, std::string_view path);

/// Returns `requested` (from --python) unless it is empty. Otherwise returns the first interpreter that has the
/// module: that of $VIRTUAL_ENV, the one beside this program, or python3. Throws Failure, whose message names
/// `command`.
std::string find_python(const std::string& requested, const std::string& module_name, const std::string& command);

/// Runs the interpreter until it exits, with `input` as its standard input and our standard error. Returns the exit
/// status, 128 plus the number of a signal, or -1 if it could not be started.
int run_python(const std::string& python, std::vector<std::string> arguments, std::string_view input);

}  // namespace trunkline::cli::process
