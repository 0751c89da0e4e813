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
  /// Returns the number of the text, from 1, or 0 if it has none.
  std::uint8_t find(std::string_view text) const noexcept;
  /// Another text has room only after clear().
  bool is_full() const noexcept { return agents_.size() == most; }
  std::uint8_t add(std::string_view text);
  /// Forgets all numbers.
  void clear() noexcept { agents_.clear(); }
  /// Returns the text of a number; null for 0. The object is valid until add() or clear() is called.
  const UserAgent* of(std::uint8_t number) const noexcept { return number == 0 ? nullptr : &agents_[number - 1]; }
  std::size_t held_bytes() const noexcept;

 private:
  static constexpr std::size_t most = 8;

  std::vector<UserAgent> agents_;
};

}  // namespace trunkline::session
