// SPDX-License-Identifier: MIT
// Options: the command line that every contestant's program takes (see ../../README.md).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace trunkline::contest {

struct Options {
  bool serves = false;
  std::string target;  ///< calls: what the server printed
  std::string work = "echo";
  std::size_t bytes = 8;
  std::size_t connections = 1;
  std::size_t outstanding = 1;  ///< over all connections
  double seconds = 1;
  double warmup = 0.2;
  std::string certificate;  ///< PEM file; empty: no TLS
  std::string key;
  std::string backend;  ///< servers of fan_out: the target of the server behind
  std::string codec;    ///< "json" where the contestant has it
  bool pipelined = false;
  bool busy_poll = false;

  bool has_tls() const noexcept { return !certificate.empty(); }
  bool is(std::string_view name) const noexcept { return work == name; }
};

/// Prints to stderr what is wrong and returns nothing if there is anything.
std::optional<Options> parse_options(int count, char** arguments);

/// The line that the runner waits for.
void say_listening(const std::string& target);

}  // namespace trunkline::contest
