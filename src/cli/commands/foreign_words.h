// SPDX-License-Identifier: MIT
// ForeignWords: gives hints to people who use the words of gRPC's command-line programs (grpcurl, grpc_cli, ghz).
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace trunkline::cli::commands {

/// Returns a hint for an unknown command, as the rest of a sentence: "; `trunkline list ENDPOINT NAME` shows ...".
/// `words` is the command line without the name of the program. The hint is empty if the first word suggests nothing.
/// It quotes words of the command line, which are not escaped yet.
std::string hint_for_command(std::span<const std::string> words);

/// Returns a hint for an unknown option ("-d", "-plaintext", "--max-time=5"), as the rest of a sentence. The hint is
/// empty if the word suggests nothing.
std::string hint_for_option(std::string_view word);

}  // namespace trunkline::cli::commands
