// SPDX-License-Identifier: MIT
// ConnectionPermit: the right of a connection to exist, where the number of connections is limited.
#pragma once

#include <memory>
#include <utility>

namespace trunkline::net {

/// The connection counts against the limit as long as a copy of its permit lives. Any thread may use it.
class ConnectionPermit {
 public:
  /// Makes no permit: none was granted, or none is needed.
  ConnectionPermit() noexcept = default;
  /// `counted` gives the connection's share back when it is destroyed.
  explicit ConnectionPermit(std::shared_ptr<const void> counted) noexcept : counted_(std::move(counted)) {}

  explicit operator bool() const noexcept { return counted_ != nullptr; }
  void reset() noexcept { counted_.reset(); }
  /// Returns the pointer given to the constructor, for whoever has made it.
  const void* counted() const noexcept { return counted_.get(); }

 private:
  std::shared_ptr<const void> counted_;
};

}  // namespace trunkline::net
