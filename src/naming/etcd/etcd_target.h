// SPDX-License-Identifier: MIT
// EtcdTarget: what a URI such as etcd://e1:2379,e2:2379/services/orders asks for.
#pragma once

#include <trunkline/endpoint.h>
#include <trunkline/target.h>
#include <trunkline/tls.h>

#include <string>
#include <vector>

namespace trunkline::naming::etcd {

struct EtcdTarget {
  /// Error: invalid_argument, naming the part of the URI that is wrong.
  static Result<EtcdTarget> parse(const Target& target);

  /// Of etcd, as grpc:// or grpcs://; at least one.
  std::vector<Endpoint> members{};
  /// Empty: etcd is used without a user.
  std::string user{};
  std::string password{};
  /// Of the keys, with a '/' at its end.
  std::string prefix{};
  /// Towards etcd.
  TlsOptions tls{};
  /// How servers are called that are known by a bare address.
  std::string server_scheme{};
  /// For error texts: the URI without user and password.
  std::string text{};
};

}  // namespace trunkline::naming::etcd
