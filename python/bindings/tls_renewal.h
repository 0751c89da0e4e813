// SPDX-License-Identifier: MIT
// TlsRenewal: a function in Python that renews the certificates of a server.
#pragma once

#include "references.h"

#include <trunkline/tls.h>

#include <memory>
#include <vector>

namespace trunkline::python {

/// Calls a function that returns None, or a tuple of a private key, a certificate chain and the authorities or None, in
/// PEM; a fourth part replaces the additional certificates, too. An exception that it raises is passed to
/// sys.unraisablehook, and renews nothing.
class TlsRenewal {
 public:
  /// Requires the GIL.
  TlsRenewal(const py::handle& function, const TlsOptions& options)
      : function_(function),
        client_certificate_(options.client_certificate),
        additional_certificates_(options.additional_certificates) {}

  /// Returns what TlsOptions::renew returns. May be called with or without the GIL, which it takes.
  std::shared_ptr<const TlsOptions> next() const;

 private:
  Reference function_;
  ClientCertificate client_certificate_;
  /// Those of a tuple that has none.
  std::vector<TlsCertificate> additional_certificates_;
};

}  // namespace trunkline::python
