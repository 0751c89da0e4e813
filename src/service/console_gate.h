// SPDX-License-Identifier: MIT
// ConsoleGate: decides who gets the page of the console, and whose calls its service answers.
#pragma once

#include <trunkline/console_options.h>
#include <trunkline/http_request.h>
#include <trunkline/http_response.h>
#include <trunkline/metadata.h>
#include <trunkline/status.h>

#include <string>
#include <string_view>
#include <vector>

namespace trunkline::service {

/// An immutable gate, which any thread may use.
class ConsoleGate {
 public:
  /// Makes the gate. Throws std::invalid_argument for a token that is too short.
  explicit ConsoleGate(const ConsoleOptions& options);

  /// Checks a call with this metadata. Error: unauthenticated.
  Status check(const Metadata& metadata) const;
  /// Returns the page, or a refusal. `peer` is the client's, as ServerContext::peer() returns it.
  HttpResponse page(const HttpRequest& request, std::string_view peer) const;

 private:
  /// Returns true for a name or address by which a browser may reach the page.
  bool knows(std::string_view host) const;

  const bool is_local_;
  const std::string token_;
  std::vector<std::string> hosts_;
};

}  // namespace trunkline::service
