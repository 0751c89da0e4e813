// SPDX-License-Identifier: MIT
// Target: what a channel is asked to call: one server, a list of servers, or a name that stands for servers.
#pragma once

#include <trunkline/detail/export.h>
#include <trunkline/endpoint.h>
#include <trunkline/result.h>

#include <string>
#include <string_view>

namespace trunkline {

/// A URI in one of three forms:
///
/// - the URI of one endpoint, as Endpoint says: `tcp://db:4000`, `grpc+unix:///run/db.sock`
/// - a list: `tcp://a:4000,b:4000` (the scheme applies to all), or whole URIs separated by commas
/// - a name: `SCHEME://AUTHORITY/PATH?QUERY`, where SCHEME is that of a resolver, such as `dns`, `file` or `etcd`.
///   `SERVERS+SCHEME://...` says how the servers are called if the resolver finds bare addresses: SERVERS is `tcp` (the
///   default), `tls`, `grpc`, `grpcs`, `ws`, `wss`, `http`, `https`, `grpc-web` or `grpc-webs`. Example:
///   `grpcs+dns:///orders.example.com:443`.
struct TRUNKLINE_API Target {
  /// Parses the URI. Error: invalid_argument, quoting the text and saying what is wrong with it. Neither the authority
  /// nor the path of a name is checked, since that is up to its resolver.
  static Result<Target> parse(std::string_view uri);

  /// If it is true, `endpoint` is the only server, and the other members but `text` are empty.
  bool is_endpoint = false;
  Endpoint endpoint{};
  /// The scheme of the resolver; "list" for a list.
  std::string scheme{};
  /// The scheme by which bare addresses are called: "tcp", "tls", "grpc", "grpcs", "ws", "wss", "http", "https",
  /// "grpc-web" or "grpc-webs".
  std::string server_scheme{};
  /// The part between `//` and the next `/`, with a user and password if there are any. It is empty for a list.
  std::string authority{};
  /// The part after the `/`, up to the `?`, with its percent-encoding. For a list it is the whole list.
  std::string path{};
  /// The part after the `?`.
  std::string query{};
  /// The URI without user and password, for error texts and logs.
  std::string text{};
};

}  // namespace trunkline
