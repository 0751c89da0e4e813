// SPDX-License-Identifier: MIT
// TlsContext: makes an SSL_CTX of TlsOptions.
#include "net/tls_context.h"

#include "net/system_error.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <new>
#include <string>
#include <utility>

namespace trunkline::net {

namespace {

constexpr std::size_t read_buffer_bytes = 64 * 1024;

Status refused(std::string_view what) {
  return {StatusCode::invalid_argument, "tls: " + std::string(what) + ": " + openssl_reason()};
}

Status refused_file(std::string_view option, const std::string& file) {
  return refused(std::string(option) + " " + file);
}

Status set_twice(std::string_view file_option, std::string_view text_option) {
  return {StatusCode::invalid_argument,
          "tls: both " + std::string(file_option) + " and " + std::string(text_option) + " are set"};
}

/// Returns no password. The default of OpenSSL would ask on the terminal.
int no_password(char*, int, int, void*) { return -1; }

using Bio = std::unique_ptr<BIO, OpensslDeleter<BIO_free>>;
using Certificate = std::unique_ptr<X509, OpensslDeleter<X509_free>>;

/// Returns a BIO that reads `pem`, which must outlive it.
Bio bio_of(const std::string& pem) {
  Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  if (bio == nullptr) throw std::bad_alloc();
  return bio;
}

Certificate next_certificate(BIO* bio) { return Certificate(PEM_read_bio_X509(bio, nullptr, no_password, nullptr)); }

/// Returns true after the last certificate if the text ended there, and not in a broken one.
bool is_at_end() {
  const unsigned long error = ERR_peek_last_error();
  if (ERR_GET_LIB(error) != ERR_LIB_PEM || ERR_GET_REASON(error) != PEM_R_NO_START_LINE) return false;
  ERR_clear_error();
  return true;
}

// These return false, with an entry in the error queue, for a wrong text, like OpenSSL's functions that read files.

bool use_certificate_chain(SSL_CTX* context, const std::string& pem) {
  const Bio bio = bio_of(pem);
  const Certificate leaf = next_certificate(bio.get());
  if (leaf == nullptr || SSL_CTX_use_certificate(context, leaf.get()) != 1) return false;
  while (Certificate issuer = next_certificate(bio.get())) {
    if (SSL_CTX_add0_chain_cert(context, issuer.get()) != 1) return false;
    static_cast<void>(issuer.release());
  }
  return is_at_end();
}

bool use_private_key(SSL_CTX* context, const std::string& pem) {
  const Bio bio = bio_of(pem);
  const std::unique_ptr<EVP_PKEY, OpensslDeleter<EVP_PKEY_free>> key(
      PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr));
  return key != nullptr && SSL_CTX_use_PrivateKey(context, key.get()) == 1;
}

/// Trusts the authorities. `names_them` says that a server tells its clients their names.
bool trust_authorities(SSL_CTX* context, const std::string& pem, bool names_them) {
  const Bio bio = bio_of(pem);
  bool has_any = false;
  while (const Certificate authority = next_certificate(bio.get())) {
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority.get()) != 1) return false;
    if (names_them && SSL_CTX_add_client_CA(context, authority.get()) != 1) return false;
    has_any = true;
  }
  return has_any && is_at_end();
}

}  // namespace

std::string openssl_reason() {
  const unsigned long error = ERR_get_error();
  ERR_clear_error();
  if (error == 0) return "unknown reason";
  if (ERR_SYSTEM_ERROR(error)) return system_text(ERR_GET_REASON(error));
  // The response of a server without TLS does not look like a TLS record. Servers of this library send this alert.
  const bool is_of_ssl = ERR_GET_LIB(error) == ERR_LIB_SSL;
  if (is_of_ssl && ERR_GET_REASON(error) == SSL_R_WRONG_VERSION_NUMBER) {
    return "wrong version number (the peer does not seem to speak TLS)";
  }
  if (is_of_ssl && ERR_GET_REASON(error) == SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE) {
    return "sslv3 alert handshake failure (the peer does not speak TLS here, or none that both accept)";
  }
  const char* const reason = ERR_reason_error_string(error);
  return reason != nullptr ? reason : "error " + std::to_string(error);
}

Result<std::shared_ptr<const TlsContext>> TlsContext::load(TlsRole role, const TlsOptions& options) {
  ERR_clear_error();
  std::shared_ptr<TlsContext> result(new TlsContext(role, options));
  if (Status status = result->configure(); !status.is_ok()) return status;
  return std::shared_ptr<const TlsContext>(std::move(result));
}

SSL* TlsContext::new_session() const {
  SSL* const session = SSL_new(context_.get());
  if (session == nullptr) throw std::bad_alloc();
  return session;
}

Status TlsContext::configure() {
  context_.reset(SSL_CTX_new(TLS_method()));
  if (context_ == nullptr) return refused("make a context");
  SSL_CTX* const context = context_.get();
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
  SSL_CTX_set_mode(context, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_default_read_buffer_len(context, read_buffer_bytes);
  // Connections are few and long, so that resuming sessions is not worth the server's memory or signatures.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_default_passwd_cb(context, no_password);
  if (Status status = load_own_certificate(); !status.is_ok()) return status;
  if (Status status = load_authorities(); !status.is_ok()) return status;
  set_verification();
  if (Status status = set_alpn(); !status.is_ok()) return status;
  return load_additional_certificates();
}

Status TlsContext::load_own_certificate() {
  const bool has_certificate = !options_.certificate_file.empty() || !options_.certificate_pem.empty();
  const bool has_key = !options_.private_key_file.empty() || !options_.private_key_pem.empty();
  if (!has_certificate && !has_key && role_ == TlsRole::client) return {};
  if (!has_certificate) return {StatusCode::invalid_argument, "tls: certificate_file is not set"};
  if (!has_key) return {StatusCode::invalid_argument, "tls: private_key_file is not set"};
  if (Status status = load_certificate(); !status.is_ok()) return status;
  return load_private_key();
}

Status TlsContext::load_certificate() {
  const std::string& file = options_.certificate_file;
  if (options_.certificate_pem.empty()) {
    if (SSL_CTX_use_certificate_chain_file(context_.get(), file.c_str()) == 1) return {};
    return refused_file("certificate_file", file);
  }
  if (!file.empty()) return set_twice("certificate_file", "certificate_pem");
  if (!use_certificate_chain(context_.get(), options_.certificate_pem)) return refused("certificate_pem");
  return {};
}

Status TlsContext::load_private_key() {
  const std::string& file = options_.private_key_file;
  if (options_.private_key_pem.empty()) {
    if (SSL_CTX_use_PrivateKey_file(context_.get(), file.c_str(), SSL_FILETYPE_PEM) == 1 &&
        SSL_CTX_check_private_key(context_.get()) == 1) {
      return {};
    }
    return refused_file("private_key_file", file);
  }
  if (!file.empty()) return set_twice("private_key_file", "private_key_pem");
  const bool is_used = use_private_key(context_.get(), options_.private_key_pem);
  return is_used && SSL_CTX_check_private_key(context_.get()) == 1 ? Status() : refused("private_key_pem");
}

Status TlsContext::load_authorities() {
  const bool verifies_peer =
      role_ == TlsRole::client ? options_.verify_peer : options_.client_certificate != ClientCertificate::none;
  const std::string& file = options_.ca_file;
  if (!options_.ca_pem.empty()) {
    if (!file.empty()) return set_twice("ca_file", "ca_pem");
    const bool names_them = role_ == TlsRole::server && verifies_peer;
    return trust_authorities(context_.get(), options_.ca_pem, names_them) ? Status() : refused("ca_pem");
  }
  if (file.empty()) {
    if (verifies_peer && SSL_CTX_set_default_verify_paths(context_.get()) != 1)
      return refused("open the system's trust store");
    return {};
  }
  if (SSL_CTX_load_verify_file(context_.get(), file.c_str()) != 1) return refused_file("ca_file", file);
  if (role_ == TlsRole::server && verifies_peer) {
    STACK_OF(X509_NAME)* const names = SSL_load_client_CA_file(file.c_str());
    if (names == nullptr) return refused_file("ca_file", file);
    SSL_CTX_set_client_CA_list(context_.get(), names);
  }
  return {};
}

void TlsContext::set_verification() {
  int mode = SSL_VERIFY_NONE;
  if (role_ == TlsRole::client) {
    if (options_.verify_peer) mode = SSL_VERIFY_PEER;
  } else if (options_.client_certificate == ClientCertificate::optional) {
    mode = SSL_VERIFY_PEER;
  } else if (options_.client_certificate == ClientCertificate::required) {
    mode = SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
  }
  SSL_CTX_set_verify(context_.get(), mode, nullptr);
}

Status TlsContext::set_alpn() {
  for (const std::string& name : options_.alpn) {
    if (name.empty() || name.size() > 255) {
      return {StatusCode::invalid_argument,
              "tls: alpn name of " + std::to_string(name.size()) + " bytes is not in 1 to 255"};
    }
    alpn_wire_ += static_cast<char>(name.size());
    alpn_wire_ += name;
  }
  if (alpn_wire_.empty()) return {};
  if (role_ == TlsRole::server) {
    SSL_CTX_set_alpn_select_cb(context_.get(), &TlsContext::select_alpn, this);
    return {};
  }
  const auto* const names = reinterpret_cast<const unsigned char*>(alpn_wire_.data());
  if (SSL_CTX_set_alpn_protos(context_.get(), names, static_cast<unsigned>(alpn_wire_.size())) != 0)
    return refused("set alpn");
  return {};
}

int TlsContext::select_alpn(SSL*, const unsigned char** chosen, unsigned char* chosen_size,
                            const unsigned char* offered, unsigned offered_size, void* context) {
  const std::string& ours = static_cast<const TlsContext*>(context)->alpn_wire_;
  unsigned char* selected = nullptr;
  // The function chooses the first name of its third argument that the other list contains.
  const int outcome = SSL_select_next_proto(&selected, chosen_size, reinterpret_cast<const unsigned char*>(ours.data()),
                                            static_cast<unsigned>(ours.size()), offered, offered_size);
  if (outcome != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_ALERT_FATAL;
  *chosen = selected;
  return SSL_TLSEXT_ERR_OK;
}

Status TlsContext::load_additional_certificates() {
  const std::vector<TlsCertificate>& additional = options_.additional_certificates;
  if (additional.empty()) return {};
  if (role_ == TlsRole::client) {
    return {StatusCode::invalid_argument, "tls: additional_certificates are for servers"};
  }
  for (std::size_t index = 0; index < additional.size(); ++index) {
    const TlsCertificate& pair = additional[index];
    TlsOptions options = options_;
    options.additional_certificates.clear();
    options.certificate_file = pair.certificate_file;
    options.private_key_file = pair.private_key_file;
    options.certificate_pem = pair.certificate_pem;
    options.private_key_pem = pair.private_key_pem;
    Result<std::shared_ptr<const TlsContext>> loaded = load(TlsRole::server, options);
    if (!loaded.is_ok()) {
      return {StatusCode::invalid_argument,
              std::string(loaded.status().message()) + " (additional certificate " + std::to_string(index + 1) + ")"};
    }
    additional_.push_back(std::move(loaded).value());
  }
  // OpenSSL's macro for this has a cast in the style of C.
  SSL_CTX_callback_ctrl(context_.get(), SSL_CTRL_SET_TLSEXT_SERVERNAME_CB,
                        reinterpret_cast<void (*)()>(&TlsContext::select_certificate));
  SSL_CTX_set_tlsext_servername_arg(context_.get(), this);
  return {};
}

bool TlsContext::is_for(std::string_view host) const noexcept {
  return X509_check_host(SSL_CTX_get0_certificate(context_.get()), host.data(), host.size(), 0, nullptr) == 1;
}

int TlsContext::select_certificate(SSL* session, int*, void* context) {
  const char* const host = SSL_get_servername(session, TLSEXT_NAMETYPE_host_name);
  if (host == nullptr) return SSL_TLSEXT_ERR_NOACK;
  const auto& own = *static_cast<const TlsContext*>(context);
  if (own.is_for(host)) return SSL_TLSEXT_ERR_OK;
  for (const std::shared_ptr<const TlsContext>& other : own.additional_) {
    if (!other->is_for(host)) continue;
    return SSL_set_SSL_CTX(session, other->context_.get()) != nullptr ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  // The client meets the first certificate, and decides by itself.
  return SSL_TLSEXT_ERR_NOACK;
}

Result<std::shared_ptr<const TlsContext>> make_server_context(const TlsOptions& options) {
  return TlsContext::load(TlsRole::server, options);
}

Result<std::shared_ptr<const TlsContext>> make_client_context(const TlsOptions& options) {
  return TlsContext::load(TlsRole::client, options);
}

}  // namespace trunkline::net
