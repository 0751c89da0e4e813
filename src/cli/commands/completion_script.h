// SPDX-License-Identifier: MIT
// Generates the completion scripts of shells from the tree of options.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace trunkline::cli::commands {

std::string bash_completion(const CLI::App& root);
std::string zsh_completion(const CLI::App& root);
std::string fish_completion(const CLI::App& root);

}  // namespace trunkline::cli::commands
