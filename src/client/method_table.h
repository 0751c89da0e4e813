// SPDX-License-Identifier: MIT
// MethodTable: the names a channel has called, with the small numbers its sessions know them by.
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

struct MethodEntry {
  std::uint32_t key = 0;  ///< 0: not in the table
  std::string name;
  const MethodTable* table = nullptr;
};

/// Entries live as long as the table.
class MethodTable {
 public:
  /// More names than that are not remembered: their calls send them in full.
  static constexpr std::size_t most_names = 65536;

  MethodTable();
  ~MethodTable();

  /// Any thread. Null if the table is full and the name not in it.
  const MethodEntry* find(const Method& method) {
    if (method.entry_ != nullptr && method.entry_->table == this) return method.entry_;
    return intern(method.name());
  }
  /// The same on the loop's thread: names called lately are found without a lock.
  const MethodEntry* find_on_loop(const Method& method) {
    if (method.entry_ != nullptr && method.entry_->table == this) return method.entry_;
    const MethodEntry*& recent = recent_[slot_of(method.name())];
    if (recent == nullptr || recent->name != method.name()) recent = intern(method.name());
    return recent;
  }
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

  std::array<const MethodEntry*, recent_names> recent_{};
  std::mutex mutex_;  // guards entries_
  std::unordered_map<std::string_view, std::unique_ptr<MethodEntry>> entries_;
};

}  // namespace trunkline::client
