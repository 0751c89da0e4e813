// SPDX-License-Identifier: MIT
// EtcdTarget: takes the authority, the path and the query of an etcd URI apart.
#include "naming/etcd/etcd_target.h"

#include "naming/percent_decoding.h"

#include <optional>
#include <string_view>
#include <utility>

namespace trunkline::naming::etcd {

namespace {

constexpr std::string_view default_port = ":2379";
constexpr std::string_view secure_scheme = "etcds";

Status refused(const Target& target, const std::string& problem) {
  return {StatusCode::invalid_argument, "parse target \"" + target.text + "\": " + problem};
}

/// Returns true if `part` may be quoted. A password with signs that should have been encoded may stand elsewhere.
bool may_quote(const Target& target, std::string_view part) { return target.text.find(part) != std::string::npos; }

/// Takes the text before `separator` from the front of `rest`, and the separator.
std::string_view take_until(std::string_view& rest, char separator) {
  const auto end = rest.find(separator);
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return part;
}

Status read_user(const Target& target, std::string_view text, EtcdTarget& parsed) {
  const std::optional<std::string> user = percent_decoded(take_until(text, ':'));
  const std::optional<std::string> password = percent_decoded(text);
  if (!user || !password) return refused(target, "'%' in the user or password is not that of a byte");
  if (user->empty()) return refused(target, "the user is missing before the '@'");
  parsed.user = *user;
  parsed.password = *password;
  return {};
}

bool has_port(std::string_view member) {
  const auto bracket = member.rfind(']');
  return member.find(':', bracket == std::string_view::npos ? 0 : bracket) != std::string_view::npos;
}

Status read_members(const Target& target, std::string_view text, EtcdTarget& parsed) {
  if (text.empty()) return refused(target, "the members of etcd are missing, such as etcd://e1:2379,e2:2379/PREFIX");
  const std::string scheme = target.scheme == secure_scheme ? "grpcs://" : "grpc://";
  for (bool has_more = true; has_more;) {
    has_more = text.find(',') != std::string_view::npos;
    const std::string_view given = take_until(text, ',');
    std::string uri = scheme + std::string(given);
    if (!has_port(given)) uri += default_port;
    Result<Endpoint> member = Endpoint::parse(uri);
    if (!member || member->host().empty() || member->host() == Endpoint::every_address || member->port() == 0) {
      if (may_quote(target, given)) {
        return refused(target, "\"" + std::string(given) + "\" is not the HOST:PORT of a member of etcd");
      }
      return refused(target, "a member of etcd is not HOST:PORT; '/', '?', '#', ',' and '@' of a password need '%'");
    }
    parsed.members.push_back(*std::move(member));
  }
  return {};
}

Status read_parameter(const Target& target, std::string_view parameter, EtcdTarget& parsed) {
  const std::string name(take_until(parameter, '='));
  std::string* member = nullptr;
  if (name == "ca_file") member = &parsed.tls.ca_file;
  if (name == "certificate_file") member = &parsed.tls.certificate_file;
  if (name == "private_key_file") member = &parsed.tls.private_key_file;
  if (name == "server_name") member = &parsed.tls.server_name;
  if (member == nullptr) {
    const std::string quoted = may_quote(target, name) ? " '" + name + "'" : "";
    return refused(target,
                   "unknown parameter" + quoted + ", use ca_file, certificate_file, private_key_file, server_name");
  }
  if (target.scheme != secure_scheme) return refused(target, name + " needs TLS: use etcds instead of etcd");
  std::optional<std::string> value = percent_decoded(parameter);
  if (!value || value->empty()) return refused(target, name + " is empty, or '%' in it is not that of a byte");
  *member = *std::move(value);
  return {};
}

}  // namespace

Result<EtcdTarget> EtcdTarget::parse(const Target& target) {
  EtcdTarget parsed;
  parsed.text = target.text;
  parsed.server_scheme = target.server_scheme;
  std::string_view authority = target.authority;
  if (const auto at = authority.rfind('@'); at != std::string_view::npos) {
    if (Status status = read_user(target, authority.substr(0, at), parsed); !status.is_ok()) return status;
    authority.remove_prefix(at + 1);
  }
  if (Status status = read_members(target, authority, parsed); !status.is_ok()) return status;
  const std::optional<std::string> path = percent_decoded(target.path);
  if (!path) return refused(target, "'%' in the prefix of the keys is not that of a byte");
  parsed.prefix = *path;
  while (parsed.prefix.ends_with('/')) parsed.prefix.pop_back();
  if (parsed.prefix.empty()) {
    return refused(target, "the prefix of the keys is missing, such as etcd://e1:2379/services/orders");
  }
  parsed.prefix += '/';
  for (std::string_view rest = target.query; !rest.empty();) {
    if (Status status = read_parameter(target, take_until(rest, '&'), parsed); !status.is_ok()) return status;
  }
  return parsed;
}

}  // namespace trunkline::naming::etcd
