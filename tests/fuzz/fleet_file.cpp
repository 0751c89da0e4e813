// SPDX-License-Identifier: MIT
// Files that list servers: what is read of them is within the documented limits, and a service config is a JSON object
// that can be read again.
#include "naming/file/read_fleet.h"

#include "fuzz/requirement.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

using trunkline::Endpoint;
using trunkline::Resolution;
using trunkline::ResolvedServer;
using trunkline::Result;
using trunkline::fuzz::require;
using trunkline::naming::file::read_fleet;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<Resolution> fleet = read_fleet({reinterpret_cast<const char*>(data), size}, "tcp");
  if (!fleet) {
    require(fleet.status().code() == trunkline::StatusCode::invalid_argument);
    return 0;
  }
  for (const ResolvedServer& server : fleet->servers) {
    require(server.weight > 0 && server.weight <= 1e6);
    const Result<Endpoint> again = Endpoint::parse(server.endpoint.to_string());
    require(again.is_ok());
    require(*again == server.endpoint);
  }
  if (fleet->service_config.empty()) return 0;
  const Result<Resolution> rest =
      read_fleet("{\"servers\":[],\"service_config\":" + fleet->service_config + "}", "tcp");
  require(rest.is_ok());
  require(rest->service_config == fleet->service_config);
  return 0;
}
