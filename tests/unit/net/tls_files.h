// SPDX-License-Identifier: MIT
// TlsFiles: an authority, and certificates that it signs, made afresh for each test.
#pragma once

#include "connected_pair.h"

#include <trunkline/tls.h>

#ifdef TRUNKLINE_HAS_TLS

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace trunkline::net {

class TlsFiles {
 public:
  explicit TlsFiles(const TemporaryDirectory& directory) : directory_(directory), authority_key_(make_key()) {
    authority_ = make_certificate("test authority", "", authority_key_.get(), nullptr);
    write_certificate("ca.pem", authority_.get());
    make_leaf("server", "DNS:localhost,IP:127.0.0.1");
  }

  /// Writes <name>.pem and <name>.key; `alternative_names` as in openssl.cnf, may be empty.
  void make_leaf(const std::string& name, std::string_view alternative_names) {
    const Key key = make_key();
    const Certificate certificate = make_certificate(name, alternative_names, key.get(), authority_.get());
    write_certificate(name + ".pem", certificate.get());
    const File file(std::fopen(path(name + ".key").c_str(), "w"));
    check(file != nullptr && PEM_write_PrivateKey(file.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1);
  }
  void write_text(const std::string& name, std::string_view text) const {
    const File file(std::fopen(path(name).c_str(), "w"));
    check(file != nullptr && std::fwrite(text.data(), 1, text.size(), file.get()) == text.size());
  }

  std::string path(const std::string& name) const { return directory_.file(name); }
  std::string text(const std::string& name) const {
    std::ifstream file(path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  TlsOptions server_options(const std::string& name = "server") const {
    TlsOptions options;
    options.certificate_file = path(name + ".pem");
    options.private_key_file = path(name + ".key");
    return options;
  }
  TlsOptions client_options() const {
    TlsOptions options;
    options.ca_file = path("ca.pem");
    return options;
  }

 private:
  template <auto free>
  struct Deleter {
    template <class T>
    void operator()(T* object) const {
      free(object);
    }
  };
  using Key = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;
  using Certificate = std::unique_ptr<X509, Deleter<X509_free>>;
  using File = std::unique_ptr<std::FILE, Deleter<std::fclose>>;

  static void check(bool succeeded) {
    if (!succeeded) throw std::runtime_error("cannot make the test's certificates");
  }

  static Key make_key() {
    Key key(EVP_EC_gen("P-256"));
    check(key != nullptr);
    return key;
  }

  static void add_extension(X509* certificate, X509* issuer, int kind, std::string_view value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
    const std::unique_ptr<X509_EXTENSION, Deleter<X509_EXTENSION_free>> extension(
        X509V3_EXT_conf_nid(nullptr, &context, kind, std::string(value).c_str()));
    check(extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1);
  }

  /// Self-signed if it has no issuer.
  Certificate make_certificate(const std::string& name, std::string_view alternative_names, EVP_PKEY* key,
                               X509* issuer) {
    Certificate result(X509_new());
    X509* const certificate = result.get();
    X509_set_version(certificate, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), ++serial_);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    const std::basic_string<unsigned char> bytes(name.begin(), name.end());
    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC, bytes.c_str(), -1, -1, 0);
    X509* const signer = issuer != nullptr ? issuer : certificate;
    X509_set_issuer_name(certificate, X509_get_subject_name(signer));
    add_extension(certificate, signer, NID_basic_constraints, issuer != nullptr ? "CA:FALSE" : "critical,CA:TRUE");
    if (!alternative_names.empty()) add_extension(certificate, signer, NID_subject_alt_name, alternative_names);
    check(X509_sign(certificate, authority_key_.get(), EVP_sha256()) > 0);
    return result;
  }

  void write_certificate(const std::string& name, X509* certificate) const {
    const File file(std::fopen(path(name).c_str(), "w"));
    check(file != nullptr && PEM_write_X509(file.get(), certificate) == 1);
  }

  const TemporaryDirectory& directory_;
  Key authority_key_;
  Certificate authority_;
  long serial_ = 0;
};

}  // namespace trunkline::net

#endif
