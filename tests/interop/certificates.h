// SPDX-License-Identifier: MIT
// Options of TLS for both sides of the conformance programs.
#pragma once

#include <trunkline/tls.h>

#include <cstdlib>
#include <string>

namespace trunkline::interop {

/// The folder in the environment variable INTEROP_CERTIFICATES, as examples/06_tls/make_certificates makes it; with
/// '/'. Empty without the variable: only endpoints without TLS work then.
inline std::string certificate_folder() {
  const char* const folder = std::getenv("INTEROP_CERTIFICATES");
  return folder != nullptr ? std::string(folder) + "/" : std::string();
}

/// For channels to a conformance server.
inline TlsOptions client_tls() {
  TlsOptions options;
  if (const std::string folder = certificate_folder(); !folder.empty()) options.ca_file = folder + "ca.crt";
  return options;
}

inline TlsOptions server_tls() {
  TlsOptions options;
  if (const std::string folder = certificate_folder(); !folder.empty()) {
    options.certificate_file = folder + "server.crt";
    options.private_key_file = folder + "server.key";
  }
  return options;
}

}  // namespace trunkline::interop
