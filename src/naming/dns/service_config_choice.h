// SPDX-License-Identifier: MIT
// ServiceConfigChoice: finds the service config in a TXT record that is for this client (gRFC A2).
#pragma once

#include <trunkline/result.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace trunkline::naming::dns {

class ServiceConfigChoice {
 public:
  /// Draws a number by `client_host`, the name of this machine, and `name`, which decides whether a choice for a share
  /// of the clients applies. The same machines always draw the same, and others for each name.
  ServiceConfigChoice(std::string client_host, std::string_view name);
  /// Draws the number for this machine.
  explicit ServiceConfigChoice(std::string_view name);

  /// Returns the service config of the first choice that is for this client, as JSON; empty if none is. `choices` is a
  /// JSON array. Error: invalid_argument, naming the member that is wrong.
  Result<std::string> choose(std::string_view choices) const;

 private:
  const std::string client_host_;
  /// A number from 0 to 99. A choice is for this client if its percentage is more.
  const std::uint32_t percentile_;
};

}  // namespace trunkline::naming::dns
