// SPDX-License-Identifier: MIT
// ConsoleGate: who gets the page of the console, and whose calls its service answers.
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

/// Immutable; any thread.
class ConsoleGate {
 public:
  /// Throws std::invalid_argument for a token that is too short.
  explicit ConsoleGate(const ConsoleOptions& options);

  /// Of a call with this metadata. Error: unauthenticated.
  Status check(const Metadata& metadata) const;
  /// `peer`: of the client, as ServerContext::peer() gives it.
  HttpResponse page(const HttpRequest& request, std::string_view peer) const;

 private:
  /// True for a name or address by which a browser may reach the page.
  bool knows(std::string_view host) const;

  const bool is_local_;
  const std::string token_;
  std::vector<std::string> hosts_;
};

}  // namespace trunkline::service
