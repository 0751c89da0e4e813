// SPDX-License-Identifier: MIT
// The Python interpreter for what the command leaves to the package, and processes of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trunkline::cli {

/// The program as execvp(3) would find it on `path` (as $PATH has it); empty if there is none.
std::string find_program(const std::string& name, std::string_view path);

/// `typed` (from --python) if it is not empty; else the first that has the module of: that of $VIRTUAL_ENV, the one
/// beside this program, python3. Throws Failure, in whose text `command` speaks.
std::string find_python(const std::string& typed, const std::string& module_name, const std::string& command);

/// Runs it to its end with `input` as its standard input; its messages are ours. The exit status, 128 and the signal's
/// number, or -1 if it could not be started.
int run_python(const std::string& python, std::vector<std::string> arguments, std::string_view input);

}  // namespace trunkline::cli
