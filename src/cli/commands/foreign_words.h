// SPDX-License-Identifier: MIT
// ForeignWords: hints for people who type what gRPC's command-line programs (grpcurl, grpc_cli, ghz) call things.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace trunkline::cli::commands {

/// What to type instead of an unknown command, as the rest of a sentence: "; `trunkline list ENDPOINT NAME` shows ...".
/// `words`: the command line without the name of the program. Empty if the first word suggests nothing. The text quotes
/// words of the command line, which are not escaped yet.
std::string hint_for_command(std::span<const std::string> words);

/// What to type instead of an unknown option ("-d", "-plaintext", "--max-time=5"), in the same form. Empty if the word
/// suggests nothing.
std::string hint_for_option(std::string_view word);

}  // namespace trunkline::cli::commands
