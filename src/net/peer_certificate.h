// SPDX-License-Identifier: MIT
// PeerCertificate: what is known of the verified certificate of a peer.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace trunkline::net {

/// The certificate of a peer that has been verified. It does not change, and the calls of its connection share it. A
/// connection without one has no object: a null pointer.
struct PeerCertificate {
  /// The subject (RFC 2253).
  std::string subject;
  /// The subject alternative names, such as "DNS:example.org", "IP:127.0.0.1", "URI:spiffe://example.org/a" and
  /// "email:ann@example.org"; names of other kinds are left out.
  std::vector<std::string> names;
  /// The certificate itself in PEM, without those of its authorities. Only servers keep it; on clients it is empty.
  std::string pem;

  /// Returns the object of `certificate`; an empty one if it is null.
  static const PeerCertificate& of(const std::shared_ptr<const PeerCertificate>& certificate) noexcept {
    // The empty one is never destroyed: a call may outlive the static objects of the process.
    static const auto* const none = new PeerCertificate;
    return certificate != nullptr ? *certificate : *none;
  }
};

}  // namespace trunkline::net
