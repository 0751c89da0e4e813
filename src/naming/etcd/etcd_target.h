// SPDX-License-Identifier: MIT
// EtcdTarget: the parts of a URI such as etcd://e1:2379,e2:2379/services/orders.
#pragma once

#include <trunkline/endpoint.h>
#include <trunkline/target.h>
#include <trunkline/tls.h>

#include <string>
#include <vector>

namespace trunkline::naming::etcd {

struct EtcdTarget {
  /// Reads the URI. Error: invalid_argument, naming the part of the URI that is wrong.
  static Result<EtcdTarget> parse(const Target& target);

  /// The members of etcd, as grpc:// or grpcs://; at least one.
  std::vector<Endpoint> members{};
  /// The name of the user; empty: etcd is used without a user.
  std::string user{};
  std::string password{};
  /// The prefix of the keys, with a '/' at its end.
  std::string prefix{};
  /// The options of TLS towards etcd.
  TlsOptions tls{};
  /// The scheme by which servers are called that are known by a bare address.
  std::string server_scheme{};
  /// The URI without user and password, for error texts.
  std::string text{};
};

}  // namespace trunkline::naming::etcd
