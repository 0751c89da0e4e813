// SPDX-License-Identifier: MIT
// AddressOrder: the order of trying the addresses of a name, from one dial to the next (RFC 8305, section 4).
#pragma once

#include "net/socket_address.h"

#include <optional>
#include <vector>

namespace trunkline::net {

/// An order that is kept from one dial to the next, and used on one loop.
class AddressOrder {
 public:
  /// Returns the addresses in the order in which they are to be tried: families take turns, the family of the first
  /// address first. The first one is that behind the address of the last used(), if this is among them.
  std::vector<SocketAddress> arrange(const std::vector<SocketAddress>& addresses) const;
  /// Notes that a connection to `address` was made or tried: the next dial begins with another one.
  void used(const SocketAddress& address) { last_ = address; }

 private:
  std::optional<SocketAddress> last_;
};

}  // namespace trunkline::net
