// SPDX-License-Identifier: MIT
// MethodCache: looks methods up by name, and renews the snapshot.
#include "server/method_cache.h"

#include <utility>

namespace trunkline::server {

LoopMethod* MethodCache::find(std::string_view name) {
  auto found = snapshot_->find(name);
  if (found == snapshot_->end()) found = snapshot_->find(std::string_view());
  if (found == snapshot_->end()) return nullptr;
  std::shared_ptr<LoopMethod>& method = methods_[found->second.get()];
  if (method == nullptr) method = std::make_shared<LoopMethod>(found->second, codecs_);
  return method.get();
}

void MethodCache::take_snapshot() {
  // The version is read first: a change in between makes the snapshot newer than its version, which is renewed again.
  version_ = registry_.version();
  snapshot_ = registry_.snapshot();
  routes_ = RouteTable(*snapshot_);
  std::unordered_map<const RegisteredMethod*, std::shared_ptr<LoopMethod>> kept;
  for (const auto& [name, method] : *snapshot_) {
    const auto found = methods_.find(method.get());
    if (found != methods_.end()) kept.insert(std::move(*found));
  }
  methods_.swap(kept);
  metrics_.keep_only(*snapshot_);
}

}  // namespace trunkline::server
