// SPDX-License-Identifier: MIT
// CurrentCatalog: keeps the catalog of the methods that a server has now.
#pragma once

#include "service/catalog.h"

#include <trunkline/server.h>

#include <cstdint>
#include <memory>
#include <mutex>

namespace trunkline::service {

/// A thread-safe cache, which the server must outlive.
class CurrentCatalog {
 public:
  explicit CurrentCatalog(Server& server) : server_(server) {}

  /// Returns the catalog, which is made again after the methods have changed.
  std::shared_ptr<const Catalog> get() {
    std::lock_guard lock(mutex_);
    // The version is read before the methods: a change in between makes the next request build another catalog.
    const std::uint64_t version = server_.methods_version();
    if (catalog_ == nullptr || version_ != version) {
      catalog_ = std::make_shared<const Catalog>(server_.methods());
      version_ = version;
    }
    return catalog_;
  }

 private:
  Server& server_;
  /// Guards the members below.
  std::mutex mutex_;
  std::shared_ptr<const Catalog> catalog_;
  /// The value of Server::methods_version() for catalog_.
  std::uint64_t version_ = 0;
};

}  // namespace trunkline::service
