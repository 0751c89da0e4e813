// SPDX-License-Identifier: MIT
// KeyValue: a key of etcd with what it holds.
#pragma once

#include <cstdint>
#include <string>

namespace trunkline::naming::etcd {

struct KeyValue {
  std::string key{};
  std::string value{};
  /// The revision of the store at which the key was written last.
  std::uint64_t revision = 0;
  /// True for a change that deletes the key. `value` is empty then.
  bool is_deleted = false;

  bool operator==(const KeyValue&) const = default;
};

}  // namespace trunkline::naming::etcd
