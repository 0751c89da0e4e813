// SPDX-License-Identifier: MIT
// read_server(): checks every member of the object.
#include "naming/read_server.h"

#include <limits>
#include <utility>

namespace trunkline::naming {

namespace {

constexpr double max_weight = 1e6;

Status wrong(const std::string& path, const std::string& problem) {
  return {StatusCode::invalid_argument, path + ": " + problem};
}

Status read_text(const Value& value, const std::string& path, std::string& text) {
  if (!value.is_string()) return wrong(path, "is not text");
  text = value.as_string();
  return {};
}

Status read_weight(const Value& value, const std::string& path, double& weight) {
  if (!value.is_number() || !(value.as_double() > 0) || !(value.as_double() <= max_weight)) {
    return wrong(path, "is not a number above 0, at most 1e6");
  }
  weight = value.as_double();
  return {};
}

Status read_priority(const Value& value, const std::string& path, std::uint32_t& priority) {
  const bool is_whole = value.kind() == Value::Kind::int64;
  if (!is_whole || value.as_int64() < 0 || value.as_int64() > std::numeric_limits<std::uint32_t>::max()) {
    return wrong(path, "is not 0 to 4294967295");
  }
  priority = static_cast<std::uint32_t>(value.as_int64());
  return {};
}

Status read_endpoint(const Value& value, const std::string& path, std::string_view prefix, Endpoint& endpoint) {
  if (!value.is_string()) return wrong(path, "is not text");
  Result<Endpoint> parsed = Endpoint::parse(std::string(prefix) + value.as_string());
  if (!parsed) return wrong(path, std::string(parsed.status().message()));
  endpoint = *std::move(parsed);
  return {};
}

Status read_member(const Value::Member& member, const std::string& path, const std::string& prefix,
                   ResolvedServer& server) {
  const auto& [name, value] = member;
  if (name == "uri") return read_endpoint(value, path, "", server.endpoint);
  if (name == "address") return read_endpoint(value, path, prefix, server.endpoint);
  if (name == "weight") return read_weight(value, path, server.weight);
  if (name == "priority") return read_priority(value, path, server.priority);
  if (name == "zone") return read_text(value, path, server.zone);
  if (name == "host_name") return read_text(value, path, server.host_name);
  return wrong(path, "unknown, use uri, address, weight, zone, priority, host_name");
}

}  // namespace

Status read_server(const Value& value, const std::string& path, std::string_view server_scheme,
                   ResolvedServer& server) {
  const std::string prefix = std::string(server_scheme) + "://";
  const std::string members = path.empty() ? "" : path + ".";
  const std::string whole = path.empty() ? "the text" : path;
  if (!value.is_object()) return wrong(whole, "is not an object");
  if ((value.find("uri") != nullptr) == (value.find("address") != nullptr)) {
    return wrong(whole, "needs either uri or address");
  }
  for (const Value::Member& member : value.as_object()) {
    if (Status status = read_member(member, members + member.first, prefix, server); !status.is_ok()) return status;
  }
  return {};
}

}  // namespace trunkline::naming
