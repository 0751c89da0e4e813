// SPDX-License-Identifier: MIT
// AddressOrder: families by turns, and a rotation.
#include "net/address_order.h"

#include <algorithm>
#include <iterator>

namespace trunkline::net {

std::vector<SocketAddress> AddressOrder::arrange(const std::vector<SocketAddress>& addresses) const {
  std::vector<SocketAddress> result;
  if (addresses.empty()) return result;
  std::vector<SocketAddress> first_family;
  std::vector<SocketAddress> others;
  const int family = addresses.front().family();
  std::partition_copy(addresses.begin(), addresses.end(), std::back_inserter(first_family), std::back_inserter(others),
                      [family](const SocketAddress& address) { return address.family() == family; });
  for (std::size_t i = 0; i < std::max(first_family.size(), others.size()); ++i) {
    if (i < first_family.size()) result.push_back(first_family[i]);
    if (i < others.size()) result.push_back(others[i]);
  }
  if (!last_) return result;
  const auto found = std::find(result.begin(), result.end(), *last_);
  if (found != result.end()) std::rotate(result.begin(), found + 1, result.end());
  return result;
}

}  // namespace trunkline::net
