// SPDX-License-Identifier: MIT
// The table of methods by name.
#include "client/method_table.h"

namespace trunkline::client {

MethodTable::MethodTable() = default;
MethodTable::~MethodTable() = default;

const MethodEntry* MethodTable::intern(std::string_view name) {
  const std::lock_guard lock(mutex_);
  if (const auto found = entries_.find(name); found != entries_.end()) return found->second.get();
  if (entries_.size() >= max_names) return nullptr;
  auto entry = std::make_unique<MethodEntry>();
  entry->key = static_cast<std::uint32_t>(entries_.size() + 1);
  entry->name = name;
  entry->table = this;
  const MethodEntry* const result = entry.get();
  entries_.emplace(result->name, std::move(entry));
  return result;
}

Method MethodTable::handle(std::string_view name) {
  Method result(name);
  if (const MethodEntry* const entry = intern(name)) {
    result.name_ = entry->name;
    result.entry_ = entry;
  }
  return result;
}

}  // namespace trunkline::client
