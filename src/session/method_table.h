// SPDX-License-Identifier: MIT
// MethodTable: which number stands for which method name on one connection (docs/wire.md, section 6).
#pragma once

#include <trunkline/status.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::session {

/// The client's side: by the caller's key for a name.
class TaughtMethods {
 public:
  /// The number the peer knows for this key; 0: not taught.
  std::uint32_t find(std::uint32_t key) const noexcept { return key < numbers_.size() ? numbers_[key] : 0; }
  /// The next number, now taught for `key`; 0 if the peer remembers no more, or key is 0.
  std::uint32_t teach(std::uint32_t key, std::uint32_t max_methods);

 private:
  std::vector<std::uint32_t> numbers_;
  std::uint32_t taught_ = 0;
};

/// The server's side: names by number. Names stay where they are.
class LearntMethods {
 public:
  std::string_view find(std::uint32_t number) const noexcept {
    return number >= 1 && number <= names_.size() ? std::string_view(*names_[number - 1]) : std::string_view();
  }
  /// Error: internal (not the next number), resource_exhausted (more than max_methods).
  Status learn(std::uint32_t number, std::string_view name, std::uint32_t max_methods);

 private:
  std::vector<std::unique_ptr<const std::string>> names_;
};

}  // namespace trunkline::session
