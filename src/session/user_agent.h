// SPDX-License-Identifier: MIT
// UserAgent: what a client over HTTP says it is (RFC 9110, section 10.1.5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::session {

/// The value of a user-agent field. It is null if the client sent none.
using UserAgent = std::shared_ptr<const std::string>;

/// Longer values are cut to this many bytes.
inline constexpr std::size_t max_user_agent_bytes = 1024;

/// Returns the text. The connections of one thread share the texts that are in use, since most clients of a server say
/// the same. Any thread may keep and destroy the result.
UserAgent share_user_agent(std::string_view text);

/// Numbers the user-agents of the requests of a connection. Most connections have one; those of proxies have several.
class KnownUserAgents {
 public:
  /// Returns the number of the text, from 1. If there is no room for a further text, forgets all numbers first, and
  /// calls `on_forgotten` for whoever has kept some.
  template <class Function>
  std::uint8_t number_of(std::string_view text, Function on_forgotten) {
    if (const std::uint8_t known = find(text); known != 0) return known;
    if (agents_.size() == most) {
      agents_.clear();
      on_forgotten();
    }
    return add(text);
  }
  /// Returns the text of a number; null for 0. The object is valid until number_of() is called.
  const UserAgent* of(std::uint8_t number) const noexcept { return number == 0 ? nullptr : &agents_[number - 1]; }
  std::size_t held_bytes() const noexcept;

 private:
  static constexpr std::size_t most = 8;

  /// Returns 0 if the text has no number.
  std::uint8_t find(std::string_view text) const noexcept;
  std::uint8_t add(std::string_view text);

  std::vector<UserAgent> agents_;
};

}  // namespace trunkline::session
