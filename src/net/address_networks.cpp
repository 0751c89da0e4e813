// SPDX-License-Identifier: MIT
// AddressNetworks: networks as prefixes of IPv6 addresses.
#include "net/address_networks.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace trunkline::net {

namespace {

constexpr unsigned address_bits = 128;
/// The number of bits that an IPv4 address follows in IPv6 form.
constexpr unsigned mapped_bits = 96;
constexpr std::string_view unix_name = "unix:";

}  // namespace

unsigned AddressNetworks::read_address(std::string_view text, Bytes& out) {
  const std::string copy(text);
  if (::inet_pton(AF_INET6, copy.c_str(), out.data()) == 1) return 0;
  out = {};
  out[10] = out[11] = 0xFF;
  return ::inet_pton(AF_INET, copy.c_str(), out.data() + 12) == 1 ? mapped_bits : address_bits;
}

Result<AddressNetworks> AddressNetworks::parse(std::span<const std::string> networks) {
  AddressNetworks result;
  for (const std::string& text : networks) {
    if (text == unix_name) {
      result.has_unix_ = true;
      continue;
    }
    const std::string_view view = text;
    const std::size_t slash = view.find('/');
    Network network{};
    const unsigned before = read_address(view.substr(0, slash), network.address);
    unsigned bits = address_bits - before;
    bool is_valid = before < address_bits;
    if (slash != std::string_view::npos) {
      const std::string_view number = view.substr(slash + 1);
      const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), bits);
      is_valid = is_valid && !number.empty() && error == std::errc() && end == number.data() + number.size() &&
                 bits <= address_bits - before;
    }
    if (!is_valid) {
      return Status(StatusCode::invalid_argument,
                    "read network \"" + text +
                        "\": neither an address, such as 192.0.2.1, nor a network, such as "
                        "10.0.0.0/8 or fd00::/8, nor unix:");
    }
    network.prefix_bits = before + bits;
    result.networks_.push_back(network);
  }
  return result;
}

bool AddressNetworks::contains(std::string_view address) const {
  if (address.starts_with(unix_name)) return has_unix_;
  const std::size_t scheme = address.find("://");
  if (networks_.empty() || scheme == std::string_view::npos) return false;
  std::string_view host = address.substr(scheme + 3);
  host = host.starts_with('[') ? host.substr(1, host.find(']') - 1) : host.substr(0, host.rfind(':'));
  Bytes bytes{};
  if (read_address(host.substr(0, host.find('%')), bytes) == address_bits) return false;
  return std::any_of(networks_.begin(), networks_.end(), [&](const Network& network) {
    const unsigned whole = network.prefix_bits / 8;
    const unsigned rest = network.prefix_bits % 8;
    if (!std::equal(bytes.begin(), bytes.begin() + whole, network.address.begin())) return false;
    return rest == 0 || ((bytes[whole] ^ network.address[whole]) >> (8 - rest)) == 0;
  });
}

}  // namespace trunkline::net
