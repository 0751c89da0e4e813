// SPDX-License-Identifier: MIT
// TlsContext: certificates, keys and rules as an SSL_CTX.
#pragma once

#include "net/tls_context_factory.h"

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::net {

template <auto free>
struct OpensslDeleter {
  template <class T>
  void operator()(T* object) const noexcept {
    free(object);
  }
};

enum class TlsRole : std::uint8_t { client, server };

class TlsContext {
 public:
  static Result<std::shared_ptr<const TlsContext>> load(TlsRole role, const TlsOptions& options);

  TlsRole role() const noexcept { return role_; }
  const TlsOptions& options() const noexcept { return options_; }
  /// Makes a session in this context. Throws std::bad_alloc.
  SSL* new_session() const;

 private:
  TlsContext(TlsRole role, const TlsOptions& options) : role_(role), options_(options) {}

  Status configure();
  Status load_own_certificate();
  Status load_certificate();
  Status load_private_key();
  Status load_authorities();
  void set_verification();
  Status set_alpn();
  Status load_additional_certificates();
  /// Returns true if the certificate is for the host.
  bool is_for(std::string_view host) const noexcept;
  /// Chooses the context of the certificate that is for the host which the client names.
  static int select_certificate(SSL* session, int* alert, void* context);
  static int select_alpn(SSL* session, const unsigned char** chosen, unsigned char* chosen_size,
                         const unsigned char* offered, unsigned offered_size, void* context);

  const TlsRole role_;
  const TlsOptions options_;
  /// The ALPN names, each behind its length (RFC 7301).
  std::string alpn_wire_;
  std::unique_ptr<SSL_CTX, OpensslDeleter<SSL_CTX_free>> context_;
  /// Those of the additional certificates, which have none of their own.
  std::vector<std::shared_ptr<const TlsContext>> additional_;
};

/// Returns the text of the oldest entry of this thread's OpenSSL error queue, for example "key values mismatch".
/// Empties the queue.
std::string openssl_reason();

}  // namespace trunkline::net
