// SPDX-License-Identifier: MIT
// AnnouncedServers: reads the values that have changed.
#include "naming/etcd/announced_servers.h"

#include <algorithm>
#include <utility>

namespace trunkline::naming::etcd {

namespace {

/// Returns a key as error texts may show it.
std::string shown(std::string key) {
  constexpr std::size_t max_shown_bytes = 160;
  if (key.size() > max_shown_bytes) key = key.substr(0, max_shown_bytes) + "...";
  std::replace_if(
      key.begin(), key.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return key;
}

}  // namespace

void AnnouncedServers::put(const KeyValue& key, std::map<std::string, Known>& keys,
                           std::vector<std::string>& problems) const {
  Result<ServerEntry> entry = ServerEntry::read(key.value, server_scheme_);
  if (!entry) problems.push_back("key " + shown(key.key) + ": " + std::string(entry.status().message()));
  Known known{.revision = key.revision};
  if (entry) known.entry = *std::move(entry);
  keys.insert_or_assign(key.key, std::move(known));
}

std::vector<std::string> AnnouncedServers::replace(const std::vector<KeyValue>& keys) {
  std::vector<std::string> problems;
  std::map<std::string, Known> replaced;
  for (const KeyValue& key : keys) {
    const auto known = keys_.find(key.key);
    if (known != keys_.end() && known->second.revision == key.revision) {
      replaced.insert(*known);
    } else {
      put(key, replaced, problems);
    }
  }
  keys_ = std::move(replaced);
  return problems;
}

std::vector<std::string> AnnouncedServers::apply(const std::vector<KeyValue>& changes) {
  std::vector<std::string> problems;
  for (const KeyValue& change : changes) {
    if (change.is_deleted) {
      keys_.erase(change.key);
    } else {
      put(change, keys_, problems);
    }
  }
  return problems;
}

Resolution AnnouncedServers::resolution() const {
  Resolution resolution;
  std::uint64_t config_revision = 0;
  for (const auto& [key, known] : keys_) {
    if (!known.entry) continue;
    resolution.servers.push_back(known.entry->server);
    if (known.entry->service_config.empty() || known.revision < config_revision) continue;
    resolution.service_config = known.entry->service_config;
    config_revision = known.revision;
  }
  return resolution;
}

bool AnnouncedServers::has_servers() const noexcept {
  return std::any_of(keys_.begin(), keys_.end(), [](const auto& key) { return key.second.entry.has_value(); });
}

}  // namespace trunkline::naming::etcd
