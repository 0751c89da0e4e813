// SPDX-License-Identifier: MIT
// AddressNetworks: a list of networks in CIDR notation, which knows the addresses that are in it.
#pragma once

#include <trunkline/result.h>

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::net {

/// An immutable list. An IPv4 address in IPv6 form, as sockets of both kinds report it, counts as the IPv4 address.
class AddressNetworks {
 public:
  AddressNetworks() noexcept = default;
  /// Reads networks such as "10.0.0.0/8", "fd00::/8", "192.0.2.1" (one address), and "unix:" (every peer over a unix
  /// socket). Error: invalid_argument, with the text that is none.
  static Result<AddressNetworks> parse(std::span<const std::string> networks);

  bool empty() const noexcept { return networks_.empty() && !has_unix_; }
  /// Returns true for an `address` in the list, as PeerInfo has it, such as "tcp://10.1.2.3:40312" or "unix:".
  bool contains(std::string_view address) const;

 private:
  /// An address in IPv6 form.
  using Bytes = std::array<unsigned char, 16>;
  struct Network {
    Bytes address;
    unsigned prefix_bits = 0;
  };
  /// Reads an address. Returns the number of bits that precede it in IPv6 form; 128 for a text that is no address.
  static unsigned read_address(std::string_view text, Bytes& out);

  std::vector<Network> networks_;
  bool has_unix_ = false;
};

}  // namespace trunkline::net
