// SPDX-License-Identifier: MIT
// SelfSigned: a certificate that is made afresh for each server, in files that are deleted with the object.
#pragma once

#include <trunkline/tls.h>

#ifdef TRUNKLINE_HAS_TLS

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include <unistd.h>

namespace trunkline::hostile {

class SelfSigned {
 public:
  SelfSigned() : stem_((std::filesystem::temp_directory_path() / "hostile-").string() + std::to_string(getpid())) {
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), &X509_free);
    check(key != nullptr && certificate != nullptr);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 24 * 3600);
    X509_set_pubkey(certificate.get(), key.get());
    check(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0);
    const File chain(std::fopen((stem_ + ".pem").c_str(), "w"), &std::fclose);
    const File secret(std::fopen((stem_ + ".key").c_str(), "w"), &std::fclose);
    check(chain != nullptr && PEM_write_X509(chain.get(), certificate.get()) == 1);
    check(secret != nullptr &&
          PEM_write_PrivateKey(secret.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1);
  }
  ~SelfSigned() {
    std::error_code ignored;
    std::filesystem::remove(stem_ + ".pem", ignored);
    std::filesystem::remove(stem_ + ".key", ignored);
  }
  SelfSigned(const SelfSigned&) = delete;
  SelfSigned& operator=(const SelfSigned&) = delete;

  TlsOptions options() const {
    TlsOptions result;
    result.certificate_file = stem_ + ".pem";
    result.private_key_file = stem_ + ".key";
    return result;
  }

 private:
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

  static void check(bool succeeded) {
    if (!succeeded) throw std::runtime_error("cannot make a certificate");
  }

  std::string stem_;
};

}  // namespace trunkline::hostile

#else

namespace trunkline::hostile {

class SelfSigned {
 public:
  TlsOptions options() const { return {}; }
};

}  // namespace trunkline::hostile

#endif
