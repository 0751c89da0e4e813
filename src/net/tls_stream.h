// SPDX-License-Identifier: MIT
// TlsStream: one TLS session on a socket, without any waiting.
#pragma once

#include "net/tls_context.h"
#include "net/transport.h"

#include <sys/types.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace trunkline::net {

/// What OpenSSL wants to send gathers here and goes out in one system call; so it never has to wait for the socket in
/// mid-record, and no signal is raised. The socket is not the stream's and must outlive its use.
class TlsStream {
 public:
  enum class Step : std::uint8_t { done, wants_read, failed };

  /// `server_name` is for clients. Throws std::bad_alloc.
  TlsStream(std::shared_ptr<const TlsContext> context, int socket, const std::string& server_name);
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  /// Goes on with the handshake. Flush after it, also when it failed: an alert tells the peer why.
  Step shake_hands();
  IoResult read(std::span<const MutableByteSpan> into);
  /// Ok for what has gone to the socket. What has been encrypted beyond that must come again, as Transport::write()
  /// says; it is not encrypted again.
  IoResult write(std::span<const ByteSpan> from);
  /// Says that nothing more will be written.
  void send_close_notify();
  /// Sends what it can; false if sending failed for good.
  bool flush();
  /// write() would say that something has been sent.
  bool has_progress() const noexcept { return unreported_ > 0 || !write_error_.is_ok(); }
  bool has_unsent() const noexcept { return unsent_start_ < unsent_.size(); }
  /// True if read() may have something without the socket becoming readable.
  bool has_buffered() const noexcept;
  /// Ok until reading, or the handshake, has failed for good.
  const Status& read_error() const noexcept { return read_error_; }
  /// Ok until writing has failed for good. What has arrived can still be read then.
  const Status& write_error() const noexcept { return write_error_; }
  /// OpenSSL's buffers, some 40 KiB, unless something is in them; the next read or write takes new ones.
  void release_buffers() noexcept;
  /// False in a child of fork(): the session is its parent's, and nothing may be sent in its name.
  bool is_of_this_process() const noexcept;
  /// After the handshake.
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
  /// A record that is not sent whole yet.
  struct Record {
    std::size_t end;    ///< in `unsent_`
    std::size_t bytes;  ///< before encryption
  };
  std::vector<Record> records_;
  std::size_t unreported_ = 0;       ///< bytes of whole records sent that write() has yet to say
  std::size_t encrypted_ = 0;        ///< bytes encrypted and not said by write()
  int socket_error_ = 0;             ///< of the last read or write that failed
  bool is_drained_ = false;          ///< the last read took all there was
  bool is_socket_short_ = false;     ///< the socket had less than it was last asked for
  std::size_t read_since_data_ = 0;  ///< from the socket, by the read or handshake step that goes on
  int renewals_ = 0;                 ///< of keys and tickets, before the data of the last read
  bool is_socket_empty_ = false;     ///< the socket had nothing when it was last asked
  Status read_error_;
  Status write_error_;
};

}  // namespace trunkline::net
