// SPDX-License-Identifier: MIT
// TlsOptions, TlsCertificate: certificates, keys and verification for tls:// endpoints.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace trunkline {

/// The choice of a server whether it asks its clients for certificates.
enum class ClientCertificate { none, optional, required };

/// A certificate chain, leaf first, and the private key of its leaf. Each is a file or a text in PEM; setting both
/// forms is an error.
struct TlsCertificate {
  std::string certificate_file{};
  std::string private_key_file{};
  std::string certificate_pem{};
  std::string private_key_pem{};
};

/// The settings of TLS. All files are PEM. They are read when the server starts to listen or when the channel first
/// connects. Errors name the file.
struct TlsOptions {
  /// The file of this side's certificate chain, leaf first. Servers need one.
  std::string certificate_file{};
  /// The file of this side's private key.
  std::string private_key_file{};
  /// The certificate chain and the private key as texts in PEM, in place of the files. Setting both forms is an error.
  std::string certificate_pem{};
  std::string private_key_pem{};
  /// Further certificates of a server that has several names. A client that names a host (SNI, RFC 6066) meets the
  /// first certificate that is for this host (RFC 6125), beginning with the one above. A client that names none, or one
  /// that no certificate is for, meets the one above. An error for channels.
  std::vector<TlsCertificate> additional_certificates{};
  /// The file of the authorities that may sign the peer's certificate; empty: the trust store of the system.
  std::string ca_file{};
  /// The certificate authorities as text in PEM, in place of the file.
  std::string ca_pem{};
  /// A client verifies that the certificate belongs to the endpoint's host (RFC 6125). Turning this off gives up
  /// authentication.
  bool verify_peer = true;
  /// The name that a client verifies and sends as SNI; empty: the endpoint's host.
  std::string server_name{};
  /// Says whether clients must present a certificate to a server.
  ClientCertificate client_certificate = ClientCertificate::none;
  /// The application protocols that are offered or accepted (RFC 7301), in order of preference. If it is empty, they
  /// are those that a server speaks ("trunkline/1", "h2"), or the one that a channel speaks.
  std::vector<std::string> alpn{};
  /// A server calls it for each connection before its handshake, on a loop's thread, which it must not block. It
  /// returns what replaces these options for that connection and later ones, except alpn and renew, or null to keep
  /// them. If the result is invalid, the server's log tells, and the options before it stay. It must not throw.
  std::function<std::shared_ptr<const TlsOptions>()> renew{};
};

}  // namespace trunkline
