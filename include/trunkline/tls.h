// SPDX-License-Identifier: MIT
// TlsOptions: certificates, keys and checks of tls:// endpoints.
#pragma once

#include <string>
#include <vector>

namespace trunkline {

/// What a server asks of its clients' certificates.
enum class ClientCertificate { none, optional, required };

/// Files are PEM. They are read when the server starts to listen or the channel first connects; errors name the file.
struct TlsOptions {
  std::string certificate_file{};  ///< own certificate chain, leaf first; servers need one
  std::string private_key_file{};
  std::string ca_file{};  ///< who may sign the peer's certificate; empty: the system's trust store
  /// Clients: check that the certificate is for the endpoint's host (RFC 6125). Turning this off gives up
  /// authentication.
  bool verify_peer = true;
  std::string server_name{};  ///< clients: the name to check and to send as SNI instead of the endpoint's host
  ClientCertificate client_certificate = ClientCertificate::none;  ///< servers
  std::vector<std::string> alpn{
      "trunkline/1"};  ///< application protocols offered or accepted (RFC 7301), preferred first
};

}  // namespace trunkline
