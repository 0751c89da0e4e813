// SPDX-License-Identifier: MIT
// TlsStream: encrypts and decrypts by means of OpenSSL.
#include "net/tls_stream.h"

#include "net/system_error.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <asio/ip/address.hpp>

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace trunkline::net {

namespace {

constexpr std::size_t record_bytes = 16 * 1024;
/// The size of header, padding and tag of TLS 1.2 and 1.3, rounded up.
constexpr std::size_t max_record_overhead = 256;
/// The size of encrypted bytes, two records, that are sent once they have gathered, so that both sides work together.
constexpr std::size_t flush_bytes = 32 * 1024;
/// OpenSSL goes on reading as long as records carry no data. After this many bytes of them the loop gets its turn.
constexpr std::size_t max_bytes_without_data = 64 * 1024;
/// A renewal of keys is far more expensive than its size suggests, and OpenSSL cannot be paused. A peer that renews its
/// keys more often than this without sending data is disconnected.
constexpr int max_renewals = 100;
/// More bytes than this can only be new keys or alerts that the peer makes OpenSSL send, and does not read.
constexpr std::size_t max_unsent_bytes = 256 * 1024;

void fail(Status& error, const std::string& reason) {
  if (error.is_ok()) error = {StatusCode::unavailable, reason, StatusOrigin::transport};
}

/// Returns the text of an alternative name with its kind; empty for kinds that are not reported.
std::string text_of(const GENERAL_NAME& name) {
  const auto prefixed = [](std::string_view kind, const ASN1_STRING* text) {
    const auto* const characters = reinterpret_cast<const char*>(ASN1_STRING_get0_data(text));
    return std::string(kind) + std::string(characters, static_cast<std::size_t>(ASN1_STRING_length(text)));
  };
  switch (name.type) {
    case GEN_DNS:
      return prefixed("DNS:", name.d.dNSName);
    case GEN_URI:
      return prefixed("URI:", name.d.uniformResourceIdentifier);
    case GEN_EMAIL:
      return prefixed("email:", name.d.rfc822Name);
    case GEN_IPADD: {
      const unsigned char* const bytes = ASN1_STRING_get0_data(name.d.iPAddress);
      asio::ip::address_v4::bytes_type four;
      asio::ip::address_v6::bytes_type sixteen;
      const auto size = static_cast<std::size_t>(ASN1_STRING_length(name.d.iPAddress));
      if (size == four.size()) {
        std::copy_n(bytes, size, four.begin());
        return "IP:" + asio::ip::address_v4(four).to_string();
      }
      if (size != sixteen.size()) return {};
      std::copy_n(bytes, size, sixteen.begin());
      return "IP:" + asio::ip::address_v6(sixteen).to_string();
    }
    default:
      return {};
  }
}

/// Returns the text that `print` writes to the BIO that it is given; nothing if memory is short.
template <class Print>
std::string printed(const Print& print) {
  const std::unique_ptr<BIO, OpensslDeleter<BIO_free>> text(BIO_new(BIO_s_mem()));
  if (text == nullptr) return {};
  print(text.get());
  char* characters = nullptr;
  const long length = BIO_get_mem_data(text.get(), &characters);
  return {characters, static_cast<std::size_t>(length)};
}

std::vector<std::string> alternative_names(const X509* certificate) {
  std::vector<std::string> result;
  const std::unique_ptr<GENERAL_NAMES, OpensslDeleter<GENERAL_NAMES_free>> names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
    std::string text = text_of(*sk_GENERAL_NAME_value(names.get(), i));
    if (!text.empty()) result.push_back(std::move(text));
  }
  return result;
}

}  // namespace

/// The BIO of a stream: it reads from the socket, and writes into the buffer of the stream.
struct SocketBio {
  static BIO* make(TlsStream& stream) {
    BIO* const bio = BIO_new(method());
    if (bio == nullptr) throw std::bad_alloc();
    BIO_set_data(bio, &stream);
    BIO_set_init(bio, 1);
    return bio;
  }

  static const BIO_METHOD* method() {
    // The method is never freed: a stream may outlive the static objects of the process.
    static const BIO_METHOD* const instance = [] {
      BIO_METHOD* const made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "trunkline socket");
      if (made == nullptr) throw std::bad_alloc();
      BIO_meth_set_read_ex(made, read);
      BIO_meth_set_write_ex(made, write);
      BIO_meth_set_ctrl(made, control);
      return made;
    }();
    return instance;
  }

  static int read(BIO* bio, char* into, std::size_t size, std::size_t* count) {
    TlsStream& stream = *static_cast<TlsStream*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    stream.is_socket_empty_ = false;
    *count = 0;
    if (stream.read_since_data_ >= max_bytes_without_data) {
      BIO_set_retry_read(bio);
      return 0;
    }
    ssize_t result = -1;
    do {
      result = ::recv(stream.socket_, into, size, 0);
    } while (result < 0 && errno == EINTR);
    if (result > 0) *count = static_cast<std::size_t>(result);
    stream.read_since_data_ += *count;
    stream.is_socket_short_ = *count < size;
    if (result > 0) return 1;
    if (result == 0) {
      BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      BIO_set_retry_read(bio);
      stream.is_socket_empty_ = true;
    } else {
      stream.socket_error_ = errno;
    }
    return 0;
  }

  static int write(BIO* bio, const char* from, std::size_t size, std::size_t* count) {
    static_cast<TlsStream*>(BIO_get_data(bio))->unsent_.append(std::string_view(from, size));
    *count = size;
    return 1;
  }

  static long control(BIO* bio, int command, long, void*) {
    if (command == BIO_CTRL_FLUSH) return 1;
    if (command == BIO_CTRL_EOF) return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
    return 0;
  }
};

TlsStream::TlsStream(std::shared_ptr<const TlsContext> context, int socket, const std::string& server_name)
    : context_(std::move(context)), socket_(socket), process_(::getpid()), session_(context_->new_session()) {
  BIO* const bio = SocketBio::make(*this);
  SSL_set_bio(session_.get(), bio, bio);
  SSL_set_msg_callback(session_.get(), count_renewal);
  SSL_set_msg_callback_arg(session_.get(), this);
  if (context_->role() == TlsRole::server) {
    SSL_set_accept_state(session_.get());
  } else {
    SSL_set_connect_state(session_.get());
    set_server_name(context_->options().server_name.empty() ? server_name : context_->options().server_name);
  }
}

void TlsStream::release_buffers() noexcept {
  // Within a record, releases of OpenSSL before 3.0.14 free a buffer from which they still read (CVE-2024-4741).
  const bool is_between_records = std::string_view(SSL_rstate_string(session_.get())) == "RH";
  if (is_between_records && SSL_has_pending(session_.get()) == 0) SSL_free_buffers(session_.get());
}

void TlsStream::set_server_name(std::string server_name) {
  // The final dot of an absolute name is neither sent (RFC 6066) nor contained in certificates.
  if (server_name.size() > 1 && server_name.back() == '.') server_name.pop_back();
  std::error_code error;
  const auto address = asio::ip::make_address(server_name, error);
  X509_VERIFY_PARAM* const rules = SSL_get0_param(session_.get());
  int accepted = 1;
  if (!error) {
    // An address is compared with the addresses of the certificate, and is never sent as SNI (RFC 6066).
    if (context_->options().verify_peer) accepted = X509_VERIFY_PARAM_set1_ip_asc(rules, address.to_string().c_str());
  } else {
    // The expansion of the macro SSL_set_tlsext_host_name, without its old-style casts.
    accepted = static_cast<int>(SSL_ctrl(session_.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                                         const_cast<char*>(server_name.c_str())));
    X509_VERIFY_PARAM_set_hostflags(rules, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    if (accepted == 1 && context_->options().verify_peer) {
      accepted = X509_VERIFY_PARAM_set1_host(rules, server_name.data(), server_name.size());
    }
  }
  if (accepted != 1) fail(read_error_, "server name " + server_name + " cannot be used: " + openssl_reason());
}

TlsStream::Step TlsStream::shake_hands() {
  if (!read_error_.is_ok()) return Step::failed;
  read_since_data_ = 0;
  ERR_clear_error();
  const int result = SSL_do_handshake(session_.get());
  if (result == 1) return Step::done;
  if (SSL_get_error(session_.get(), result) == SSL_ERROR_WANT_READ) return Step::wants_read;
  fail(read_error_, "handshake: " + failure_reason(result));
  return Step::failed;
}

IoResult TlsStream::read(std::span<const MutableByteSpan> into) {
  std::size_t total = 0;
  is_drained_ = false;
  if (unsent_.size() - unsent_start_ > max_unsent_bytes)
    fail(read_error_, "the peer asks for new keys and does not read");
  for (MutableByteSpan span : into) {
    while (!span.empty()) {
      if (!read_error_.is_ok()) return {IoState::failed, 0, read_error_};
      std::size_t count = 0;
      read_since_data_ = 0;
      renewals_ = 0;
      ERR_clear_error();
      const int result = SSL_read_ex(session_.get(), span.data(), span.size(), &count);
      if (result != 1) {
        IoResult end = end_of_read(result);
        return total > 0 ? IoResult{IoState::ok, total, {}} : std::move(end);
      }
      span = span.subspan(count);
      total += count;
      // Neither the session nor the socket has more bytes, so another read would return nothing.
      is_drained_ = is_socket_short_ && SSL_has_pending(session_.get()) == 0;
      // If the peer renews its keys before each record, only one record is read at a time.
      if (is_drained_ || renewals_ > 0) return {IoState::ok, total, {}};
    }
  }
  return {IoState::ok, total, {}};
}

/// Counts handshake messages that follow the handshake. OpenSSL calls it, so it must not throw.
void TlsStream::count_renewal(int is_written, int, int type, const void*, std::size_t, SSL* session, void* stream) {
  if (is_written != 0 || type != SSL3_RT_HANDSHAKE) return;
  if (++static_cast<TlsStream*>(stream)->renewals_ <= max_renewals) return;
  // This makes OpenSSL ignore all further records.
  SSL_set_shutdown(session, SSL_get_shutdown(session) | SSL_RECEIVED_SHUTDOWN);
}

IoResult TlsStream::end_of_read(int result) {
  if (renewals_ > max_renewals) {
    fail(read_error_, "the peer renews its keys and sends no data");
    return {IoState::failed, 0, read_error_};
  }
  switch (SSL_get_error(session_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      is_drained_ = is_socket_empty_;
      return {IoState::would_block, 0, {}};
    case SSL_ERROR_ZERO_RETURN:
      return {IoState::end_of_stream, 0, {}};
    default:
      fail(read_error_, failure_reason(result));
      return {IoState::failed, 0, read_error_};
  }
}

bool TlsStream::has_responded() const noexcept { return BIO_number_written(SSL_get_wbio(session_.get())) > 0; }

IoResult TlsStream::write(std::span<const ByteSpan> from) {
  if (flush() && !has_unsent()) {
    encrypt_all(from);
    flush();
  }
  const std::size_t sent = take_sent();
  if (sent > 0) return {IoState::ok, sent, {}};
  return write_error_.is_ok() ? IoResult{IoState::would_block, 0, {}} : IoResult{IoState::failed, 0, write_error_};
}

/// Encrypts until everything is encrypted or the socket takes no more.
void TlsStream::encrypt_all(std::span<const ByteSpan> from) {
  std::array<std::byte, record_bytes> record;
  std::size_t gathered = 0;
  std::size_t known = encrypted_;
  for (ByteSpan span : from) {
    const std::size_t skipped = std::min(known, span.size());
    known -= skipped;
    span = span.subspan(skipped);
    while (!span.empty()) {
      // A whole record is encrypted in place; smaller pieces are gathered into a record first.
      const bool in_place = gathered == 0 && span.size() >= record_bytes;
      const std::size_t count = std::min(span.size(), record_bytes - gathered);
      if (!in_place) std::memcpy(record.data() + gathered, span.data(), count);
      gathered += count;
      if (gathered == record_bytes) {
        gathered = 0;
        // The buffer gets room for everything up to the next flush, so that it does not grow, and copy, in between.
        if (unsent_.size() == 0) unsent_.prepare(flush_bytes + 2 * max_record_overhead);
        if (!encrypt(in_place ? span.first(count) : ByteSpan(record))) return;
        if (unsent_.size() - unsent_start_ >= flush_bytes && (!flush() || has_unsent())) return;
      }
      span = span.subspan(count);
    }
  }
  if (gathered > 0) encrypt(ByteSpan(record).first(gathered));
}

bool TlsStream::encrypt(ByteSpan bytes) {
  std::size_t count = 0;
  ERR_clear_error();
  const int result = SSL_write_ex(session_.get(), bytes.data(), bytes.size(), &count);
  // The buffer takes everything, so a write is never partial.
  if (result == 1 && count == bytes.size()) {
    records_.push_back({unsent_.size(), count});
    encrypted_ += count;
    return true;
  }
  fail(write_error_, failure_reason(result));
  return false;
}

/// Returns the bytes of the records that were sent since the last call.
std::size_t TlsStream::take_sent() noexcept {
  const std::size_t sent = std::exchange(unreported_, 0);
  encrypted_ -= sent;
  return sent;
}

bool TlsStream::is_of_this_process() const noexcept { return ::getpid() == process_; }

void TlsStream::send_close_notify() {
  // Only a session that is established and has not failed may send it.
  if (!read_error_.is_ok() || !write_error_.is_ok() || SSL_in_init(session_.get()) != 0) return;
  ERR_clear_error();
  SSL_shutdown(session_.get());
  ERR_clear_error();
}

bool TlsStream::flush() {
  while (has_unsent()) {
    const ByteSpan rest = unsent_.bytes().subspan(unsent_start_);
    const ssize_t count = ::send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (count >= 0) {
      unsent_start_ += static_cast<std::size_t>(count);
      count_sent();
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return true;
    } else if (errno != EINTR) {
      fail(write_error_, system_text(errno));
      records_.clear();
      unsent_start_ = unsent_.size();
    }
  }
  if (unsent_.size() > 0) {
    // The memory is released: an idle connection keeps no buffer.
    const Slice sent = unsent_.take();
    unsent_start_ = 0;
  }
  return write_error_.is_ok();
}

void TlsStream::count_sent() noexcept {
  const auto is_out = [this](const Record& record) { return record.end <= unsent_start_; };
  const auto out = std::find_if_not(records_.begin(), records_.end(), is_out);
  for (auto record = records_.begin(); record != out; ++record) unreported_ += record->bytes;
  records_.erase(records_.begin(), out);
}

bool TlsStream::has_buffered() const noexcept {
  return !is_drained_ && (read_since_data_ >= max_bytes_without_data || SSL_has_pending(session_.get()) == 1);
}

std::string TlsStream::failure_reason(int result) const {
  const int error = SSL_get_error(session_.get(), result);
  if (socket_error_ != 0) return system_text(socket_error_);
  if (error == SSL_ERROR_SYSCALL) return "closed by the peer";
  const int reason = ERR_GET_REASON(ERR_peek_last_error());
  if (reason == SSL_R_UNEXPECTED_EOF_WHILE_READING) return "closed by the peer without a close_notify";
  if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED) {
    return std::string("certificate verify failed: ") +
           X509_verify_cert_error_string(SSL_get_verify_result(session_.get()));
  }
  return openssl_reason();
}

void TlsStream::describe(PeerInfo& peer) const {
  peer.is_encrypted = true;
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(session_.get(), &name, &size);
  peer.alpn.assign(reinterpret_cast<const char*>(name), size);
  X509* const certificate = SSL_get0_peer_certificate(session_.get());
  // Without verification the certificate proves nothing.
  if (certificate == nullptr || SSL_get_verify_mode(session_.get()) == SSL_VERIFY_NONE ||
      SSL_get_verify_result(session_.get()) != X509_V_OK) {
    return;
  }
  PeerCertificate known{.subject = printed([&](BIO* into) {
                          X509_NAME_print_ex(into, X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253);
                        }),
                        .names = alternative_names(certificate),
                        .pem = {}};
  if (SSL_is_server(session_.get()) == 1)
    known.pem = printed([&](BIO* into) { PEM_write_bio_X509(into, certificate); });
  peer.certificate = std::make_shared<const PeerCertificate>(std::move(known));
}

}  // namespace trunkline::net
