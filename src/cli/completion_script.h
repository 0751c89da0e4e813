// SPDX-License-Identifier: MIT
// Scripts that complete a command in a shell, made from its tree of options.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace trunkline::cli {

std::string bash_completion(const CLI::App& root);
std::string zsh_completion(const CLI::App& root);
std::string fish_completion(const CLI::App& root);

}  // namespace trunkline::cli
