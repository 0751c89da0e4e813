// SPDX-License-Identifier: MIT
// Options of the programs under attack, as arguments NAME=NUMBER.
#pragma once

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace trunkline::hostile {

inline std::chrono::milliseconds milliseconds(std::uint64_t number) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(number));
}

/// Sets what servers and channels have in common. Returns false if no option has that name. Older commits lack some of
/// the options, which are ignored there.
template <class Options>
bool set_common_option(Options& options, std::string_view name, std::uint64_t number) {
  auto& limits = options.limits;
  if (name == "max_message_bytes") return limits.max_message_bytes = number, true;
  if (name == "max_unread_bytes") return limits.max_unread_bytes = number, true;
  if (name == "max_unsent_bytes") return limits.max_unsent_bytes = number, true;
  if (name == "call_credit_bytes") return limits.call_credit_bytes = static_cast<std::uint32_t>(number), true;
  if (name == "connection_credit_bytes")
    return limits.connection_credit_bytes = static_cast<std::uint32_t>(number), true;
  if (name == "handshake_timeout") return limits.handshake_timeout = milliseconds(number), true;
  if (name == "keepalive_interval") return limits.keepalive_interval = milliseconds(number), true;
  if (name == "keepalive_timeout") return limits.keepalive_timeout = milliseconds(number), true;
  if (name == "stall_timeout") {
    if constexpr (requires { limits.stall_timeout; }) limits.stall_timeout = milliseconds(number);
    return true;
  }
  if (name == "max_memory_bytes") {
    if constexpr (requires { options.max_memory_bytes; }) options.max_memory_bytes = number;
    return true;
  }
  return false;
}

/// Hands each argument to `set(name, number)`, which returns false for a name that it does not know.
template <class Set>
void read_options(std::span<char*> arguments, Set set) {
  for (const std::string_view argument : arguments) {
    const std::size_t equals = std::min(argument.find('='), argument.size());
    const std::string_view text = argument.substr(std::min(equals + 1, argument.size()));
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || !set(argument.substr(0, equals), number)) {
      throw std::invalid_argument("not an option with a number: " + std::string(argument));
    }
  }
}

}  // namespace trunkline::hostile
