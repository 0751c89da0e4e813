// SPDX-License-Identifier: MIT
// AnnouncedServers: keeps the servers for which the keys below a prefix stand.
#pragma once

#include "naming/etcd/key_value.h"
#include "naming/etcd/server_entry.h"

#include <trunkline/resolver.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trunkline::naming::etcd {

class AnnouncedServers {
 public:
  /// `server_scheme` says how bare addresses are called.
  explicit AnnouncedServers(std::string server_scheme) noexcept : server_scheme_(std::move(server_scheme)) {}

  /// Takes all keys anew. Returns what is wrong with values that were not known before, which stand for no server.
  std::vector<std::string> replace(const std::vector<KeyValue>& keys);
  /// Takes changes of keys. Returns what is wrong with the new values.
  std::vector<std::string> apply(const std::vector<KeyValue>& changes);

  /// Returns the servers in the order of their keys, with the service config that was written last.
  Resolution resolution() const;
  /// Returns true if some key stands for a server. Keys may exist of which none does.
  bool has_servers() const noexcept;

 private:
  struct Known {
    std::uint64_t revision = 0;
    /// The entry of the key; nullopt if its value is wrong.
    std::optional<ServerEntry> entry{};
  };

  void put(const KeyValue& key, std::map<std::string, Known>& keys, std::vector<std::string>& problems) const;

  const std::string server_scheme_;
  std::map<std::string, Known> keys_;
};

}  // namespace trunkline::naming::etcd
