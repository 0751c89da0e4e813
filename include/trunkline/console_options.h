// SPDX-License-Identifier: MIT
// ConsoleOptions: where the console of a server is, and who may see it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace trunkline {

struct ConsoleOptions {
  /// An endpoint for the console alone, such as "tcp://127.0.0.1:9000", on which the server listens from now on
  /// (Server::listen_private()): the page and the service of the console are on no other. It serves all other methods
  /// too, since the page calls them. If it is empty, the console is on all endpoints.
  std::string endpoint{};
  /// The path of the page, as Server::route() takes it.
  std::string path = "/console";
  /// A secret of 16 characters or more, for which the page asks. Whoever has it may see the console. If it is empty,
  /// only clients on the same machine get the page, at `localhost` or an address of the loopback network.
  std::string token{};
  /// The names by which browsers may reach the page, beside `localhost` and IP addresses (without a token: those of the
  /// loopback network). Under other names it is refused, because any page can give its own name the server's address
  /// (DNS rebinding).
  std::vector<std::string> hosts{};
  /// The number of pages that may show statistics at once; more are refused with resource_exhausted. 0: no limit.
  std::size_t max_watches = 16;
};

}  // namespace trunkline
