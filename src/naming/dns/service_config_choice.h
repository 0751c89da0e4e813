// SPDX-License-Identifier: MIT
// ServiceConfigChoice: which of the service configs in a TXT record is for this client (gRFC A2).
#pragma once

#include <trunkline/result.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace trunkline::naming::dns {

class ServiceConfigChoice {
 public:
  /// The share of the clients that a choice is for is drawn by `client_host`, the name of this machine, and `name`, so
  /// that the same machines always have it, and others for each name.
  ServiceConfigChoice(std::string client_host, std::string_view name);
  /// For this machine.
  explicit ServiceConfigChoice(std::string_view name);

  /// `choices`: a JSON array of choices. Returns the service config of the first one that is for this client, as JSON;
  /// empty: none is. Error: invalid_argument, naming the member that is wrong.
  Result<std::string> choose(std::string_view choices) const;

 private:
  const std::string client_host_;
  /// 0 to 99: a choice is for this client if its percentage is more.
  const std::uint32_t percentile_;
};

}  // namespace trunkline::naming::dns
