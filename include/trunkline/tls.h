// SPDX-License-Identifier: MIT
// TlsOptions: certificates, keys and verification for tls:// endpoints.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace trunkline {

/// Whether a server asks its clients for certificates.
enum class ClientCertificate { none, optional, required };

/// All files are PEM. They are read when the server starts to listen or when the channel first connects. Errors name
/// the file.
struct TlsOptions {
  /// The own certificate chain, leaf first. Servers need one.
  std::string certificate_file{};
  /// The private key of the own certificate.
  std::string private_key_file{};
  /// The same as text in PEM, instead of the files. Setting both is an error.
  std::string certificate_pem{};
  std::string private_key_pem{};
  /// Certificate authorities that the peer's certificate may be signed by; empty: the trust store of the system.
  std::string ca_file{};
  /// The same as text in PEM, instead of the file.
  std::string ca_pem{};
  /// Clients: verify that the certificate belongs to the endpoint's host (RFC 6125). Turning this off gives up
  /// authentication.
  bool verify_peer = true;
  /// Clients: the name to verify and to send as SNI, if it is not the endpoint's host.
  std::string server_name{};
  /// Servers: whether clients must present a certificate.
  ClientCertificate client_certificate = ClientCertificate::none;
  /// Application protocols that are offered or accepted (RFC 7301), in order of preference. Empty: those that a server
  /// speaks ("trunkline/1", "h2"), or the one that a channel speaks.
  std::vector<std::string> alpn{};
  /// Servers: called for each connection before its handshake, on a loop's thread, which it must not block. Returns
  /// what replaces these options for that connection and for later ones, except alpn and renew; null: nothing does. If
  /// what it returns is not valid, the server's log tells, and the options before it stay in use. Must not throw.
  std::function<std::shared_ptr<const TlsOptions>()> renew{};
};

}  // namespace trunkline
