// SPDX-License-Identifier: MIT
// example.WordCounter: a file goes up as a client stream, three numbers come back.
#pragma once

#include <trunkline/channel.h>
#include <trunkline/server.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace example {

/// ASCII white space, whatever the locale says; what Python's bytes.split() takes for it.
constexpr bool is_space(char letter) { return std::string_view(" \t\n\v\f\r").find(letter) != std::string_view::npos; }

struct Counted {
  std::uint64_t lines = 0, words = 0, bytes = 0;
  bool operator==(const Counted&) const = default;
};

void add_word_count(trunkline::Server& server);
/// Streams the file to the service. Throws trunkline::StatusError, or std::runtime_error if the file cannot be read.
Counted count_remotely(trunkline::Channel& channel, const std::string& path);
/// The same without a service, to compare with.
Counted count_locally(const std::string& path);

}  // namespace example
