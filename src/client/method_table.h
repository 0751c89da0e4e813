// SPDX-License-Identifier: MIT
// MethodTable: the names of the methods that a channel calls, and the small numbers that its sessions use for them.
#pragma once

#include <trunkline/method.h>

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace trunkline::client {

struct MethodRules;

struct MethodEntry {
  /// The value of session::MethodRef::key. 0: the method is not in the table.
  std::uint32_t key = 0;
  std::string name;
  const MethodTable* table = nullptr;
  /// The result of ServiceRules for the method, and its version of the rules. Only the loop's thread uses them.
  mutable MethodRules* rules = nullptr;
  mutable std::uint32_t rules_version = 0;
};

/// A table whose entries are never removed, so pointers to them stay valid as long as it exists.
class MethodTable {
 public:
  /// The most names. Further ones are not stored, and calls of these methods send the name in full.
  static constexpr std::size_t max_names = 65536;

  MethodTable();
  ~MethodTable();

  /// Returns the entry of a method, which is added if it is missing; null if the table is full. Any thread may call it.
  const MethodEntry* find(const Method& method) {
    if (method.entry_ != nullptr && method.entry_->table == this) return method.entry_;
    return intern(method.name());
  }
  /// Returns the entry, on the loop's thread. Finds names of recent calls without a lock.
  const MethodEntry* find_on_loop(const Method& method) {
    if (method.entry_ != nullptr && method.entry_->table == this) return method.entry_;
    const MethodEntry*& recent = recent_[slot_of(method.name())];
    if (recent == nullptr || recent->name != method.name()) recent = intern(method.name());
    return recent;
  }
  /// Returns a method that find() finds without a lookup. Any thread may call it.
  Method handle(std::string_view name);

 private:
  static constexpr std::size_t recent_names = 64;
  static std::size_t slot_of(std::string_view name) noexcept {
    if (name.empty()) return 0;
    const auto first = static_cast<unsigned char>(name[name.size() / 2]);
    const auto last = static_cast<unsigned char>(name.back());
    return (name.size() * 31 + first * 7u + last) % recent_names;
  }
  const MethodEntry* intern(std::string_view name);

  /// The entries of recent calls, which only find_on_loop() uses.
  std::array<const MethodEntry*, recent_names> recent_{};
  /// Guards entries_.
  std::mutex mutex_;
  std::unordered_map<std::string_view, std::unique_ptr<MethodEntry>> entries_;
};

}  // namespace trunkline::client
