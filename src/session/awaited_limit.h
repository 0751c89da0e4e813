// SPDX-License-Identifier: MIT
// AwaitedLimit: the limit that keeps a client's session from starting a call, for the texts of errors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trunkline::session {

/// A limit that is named as the one who can raise it knows it. Without a name there is none.
struct AwaitedLimit {
  enum class Owner : std::uint8_t { server, channel };
  Owner owner = Owner::channel;
  std::string_view name{};
  std::uint64_t value = 0;

  explicit operator bool() const noexcept { return !name.empty(); }
  std::string to_string() const {
    const std::string_view whose = owner == Owner::server ? "the server's " : "this channel's ";
    return std::string(whose).append(name).append(" is ").append(std::to_string(value));
  }
};

}  // namespace trunkline::session
