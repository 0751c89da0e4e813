// SPDX-License-Identifier: MIT
// TlsStream: a TLS session on a non-blocking socket. It never waits.
#pragma once

#include "net/tls_context.h"
#include "net/transport.h"

#include <sys/types.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace trunkline::net {

/// A stream in which the output of OpenSSL gathers, to be sent with one system call, so that OpenSSL never has to wait
/// for the socket within a record, and no signal is raised. It does not own the socket, which must outlive its use.
class TlsStream {
 public:
  enum class Step : std::uint8_t { done, wants_read, failed };

  /// Makes a stream. `server_name` is for clients. Throws std::bad_alloc.
  TlsStream(std::shared_ptr<const TlsContext> context, int socket, const std::string& server_name);
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  /// Continues the handshake. Call flush() afterwards, also if it has failed, since an alert tells the peer why.
  Step shake_hands();
  IoResult read(std::span<const MutableByteSpan> into);
  /// The result counts the bytes that were sent. Bytes that were encrypted but not sent must be passed again, as
  /// Transport::write() says; they are not encrypted again.
  IoResult write(std::span<const ByteSpan> from);
  /// Tells the peer that nothing more will be written.
  void send_close_notify();
  /// Sends what the socket takes. Returns false if sending has failed for good.
  bool flush();
  /// Returns true if the next write() has a result other than would_block.
  bool has_progress() const noexcept { return unreported_ > 0 || !write_error_.is_ok(); }
  bool has_unsent() const noexcept { return unsent_start_ < unsent_.size(); }
  /// Returns true if read() may return bytes although the socket is not readable.
  bool has_buffered() const noexcept;
  /// Returns ok until reading, or the handshake, has failed for good.
  const Status& read_error() const noexcept { return read_error_; }
  /// Returns ok until writing has failed for good. Bytes that have arrived can still be read then.
  const Status& write_error() const noexcept { return write_error_; }
  /// Frees the buffers of OpenSSL, about 40 KiB, unless they are in use. The next read or write allocates new ones.
  void release_buffers() noexcept;
  /// Returns true if anything, such as an alert, has been made for the peer.
  bool has_responded() const noexcept;
  /// Returns false in a forked child: the session is the parent's, and the child may send nothing in it.
  bool is_of_this_process() const noexcept;
  /// Adds what the handshake has found out. Must be called after the handshake.
  void describe(PeerInfo& peer) const;

 private:
  friend struct SocketBio;
  void set_server_name(std::string server_name);
  IoResult end_of_read(int result);
  static void count_renewal(int is_written, int version, int type, const void* bytes, std::size_t size, SSL* session,
                            void* stream);
  bool encrypt(ByteSpan bytes);
  void encrypt_all(std::span<const ByteSpan> from);
  void count_sent() noexcept;
  std::size_t take_sent() noexcept;
  std::string failure_reason(int result) const;

  std::shared_ptr<const TlsContext> context_;
  const int socket_;
  const pid_t process_;
  std::unique_ptr<SSL, OpensslDeleter<SSL_free>> session_;
  BufferWriter unsent_;
  std::size_t unsent_start_ = 0;
  /// A record that is not completely sent.
  struct Record {
    /// The end of the record in `unsent_`.
    std::size_t end;
    /// The size of the record before encryption.
    std::size_t bytes;
  };
  std::vector<Record> records_;
  /// The bytes, before encryption, of sent records that write() has yet to report.
  std::size_t unreported_ = 0;
  /// The bytes that were encrypted and that write() has not reported as sent.
  std::size_t encrypted_ = 0;
  /// The error number of the last read or write that failed.
  int socket_error_ = 0;
  /// True if the last read took all that had arrived.
  bool is_drained_ = false;
  /// True if the socket returned less than it was last asked for.
  bool is_socket_short_ = false;
  /// True if the socket returned nothing when it was last read.
  bool is_socket_empty_ = false;
  /// The bytes from the socket during the current step of the handshake or of read(), since it last returned data.
  std::size_t read_since_data_ = 0;
  /// The number of new keys and tickets of the peer before the data of the last read.
  int renewals_ = 0;
  Status read_error_;
  Status write_error_;
};

}  // namespace trunkline::net
