// SPDX-License-Identifier: MIT
// OutboundMethodIds: the ids that a client has given to method names on one connection (docs/wire.md, section 6).
#pragma once

#include <cstdint>
#include <vector>

namespace trunkline::session::native {

/// Holds ids by the caller's key for a name (MethodRef::key).
class OutboundMethodIds {
 public:
  /// Returns 0 if the peer knows no id for this key.
  std::uint32_t find(std::uint32_t key) const noexcept { return key < ids_.size() ? ids_[key] : 0; }
  /// Returns the next id, which belongs to `key` from now on, or 0 if the peer accepts no more ids, or `key` is 0.
  /// Needs find(key) == 0.
  std::uint32_t assign(std::uint32_t key, std::uint32_t max_methods);

 private:
  std::vector<std::uint32_t> ids_;
  std::uint32_t newest_ = 0;
};

}  // namespace trunkline::session::native
