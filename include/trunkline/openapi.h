// SPDX-License-Identifier: MIT
// add_openapi: describes a server's methods to tools for HTTP, by an OpenAPI document.
#pragma once

#include <trunkline/detail/export.h>

#include <string>

namespace trunkline {

class Server;

struct OpenApiOptions {
  /// The title, version and description of the interface, which its users see in the document.
  std::string title = "Trunkline";
  std::string version = "1";
  std::string description{};
  /// The path of the route that serves the document, as Server::route() takes it.
  std::string path = "/openapi.json";
};

/// Adds a route for GET that answers with an OpenAPI 3.1 document of all unary and server-streaming methods, as plain
/// HTTP calls them, that the server has at the time of the request. The schemas of messages are derived from their
/// protobuf descriptors or from their types; comments are the descriptions of MethodOptions. Everybody who reaches the
/// server can read it. Needs a build with protobuf. Throws std::invalid_argument for a path that is no route's, and if
/// the server has the route already.
TRUNKLINE_API void add_openapi(Server& server, OpenApiOptions options = {});

}  // namespace trunkline
