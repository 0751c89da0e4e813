// SPDX-License-Identifier: MIT
// PythonUpdates: reports servers as Python lists them, and errors.
#include "python_updates.h"

#include "failure.h"
#include "option_values.h"
#include "released_gil.h"

#include <cstdint>
#include <utility>

namespace trunkline::python {

namespace {

constexpr double max_weight = 1e6;

/// Returns true if the text names its own scheme.
bool is_uri(const std::string& address) noexcept {
  return address.find("://") != std::string::npos || address.starts_with("unix:") ||
         std::string_view(address).substr(0, address.find(':')).ends_with("+unix");
}

Endpoint endpoint_of(const std::string& address, const std::string& server_scheme) {
  Result<Endpoint> endpoint = Endpoint::parse(is_uri(address) ? address : server_scheme + "://" + address);
  if (!endpoint) throw_failure(endpoint.status());
  return *std::move(endpoint);
}

double weight_of(const py::handle& value) {
  const double weight = number_of("update: the weight", value);
  if (!(weight > 0 && weight <= max_weight)) {
    throw py::value_error("update: the weight is " + std::string(py::str(value)) + ", not more than 0 and at most 1e6");
  }
  return weight;
}

ResolvedServer server_of(const py::handle& item, const std::string& server_scheme) {
  const auto members = py::reinterpret_borrow<py::sequence>(item);
  return {.endpoint = endpoint_of(text_of("update: the endpoint", members[0]), server_scheme),
          .weight = weight_of(members[1]),
          .zone = text_of("update: the zone", members[2]),
          .priority = integer_of<std::uint32_t>("update: the priority", members[3]),
          .host_name = text_of("update: the host_name", members[4])};
}

}  // namespace

void PythonUpdates::update(const py::iterable& servers, const std::string& service_config) {
  Resolution resolution{.service_config = service_config};
  for (const py::handle& server : servers) resolution.servers.push_back(server_of(server, server_scheme_));
  if (!fork_guard_.is_here()) return;
  const ReleasedGil released;
  updates_->update(std::move(resolution));
}

void PythonUpdates::fail(int code, const std::string& message) {
  if (!fork_guard_.is_here()) return;
  const ReleasedGil released;
  updates_->fail({static_cast<StatusCode>(code), message, StatusOrigin::transport});
}

}  // namespace trunkline::python
