// SPDX-License-Identifier: MIT
// What the servers of all examples but 06 present at tls:// endpoints.
#pragma once

#include <trunkline/tls.h>

#include <cstdlib>
#include <string>

namespace example {

/// The PEM files that EXAMPLE_CERTIFICATE_FILE and EXAMPLE_PRIVATE_KEY_FILE name in the environment. Without these
/// variables, none: the server can then listen on endpoints without TLS only.
inline trunkline::TlsOptions server_certificate() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  return {.certificate_file = variable("EXAMPLE_CERTIFICATE_FILE"),
          .private_key_file = variable("EXAMPLE_PRIVATE_KEY_FILE")};
}

}  // namespace example
