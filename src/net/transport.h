// SPDX-License-Identifier: MIT
// Transport: a non-blocking stream of bytes, whatever carries it.
#pragma once

#include <trunkline/result.h>
#include <trunkline/slice.h>

#include <span>
#include <string>

namespace trunkline::net {

class Loop;

/// Called on the transport's loop, once for each wait_readable() or wait_writable(), also when the transport fails
/// (the next read() or write() then says how). Never called from inside a call into the transport.
class TransportObserver {
 public:
  virtual ~TransportObserver() = default;
  virtual void on_readable() = 0;
  virtual void on_writable() = 0;
};

enum class IoState : std::uint8_t { ok, would_block, end_of_stream, failed };

struct IoResult {
  IoState state = IoState::ok;
  std::size_t bytes = 0;  ///< more than 0 if state is ok
  Status error;           ///< unavailable with the system's text if state is failed
};

/// What is known of the other side.
struct PeerInfo {
  std::string address;  ///< e.g. "tcp://127.0.0.1:40312", "unix:", "inproc://name"
  std::string local_address;
  bool is_encrypted = false;
  std::string alpn;                 ///< negotiated protocol, empty if none
  std::string certificate_subject;  ///< subject of the verified peer certificate (RFC 2253), empty if there is none
};

/// All calls come from the loop's thread. close() or destruction cancels what is waited for: the observer is not called
/// again.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual void set_observer(TransportObserver* observer) noexcept = 0;
  /// Reads what is there, at most what fits, in one system call.
  virtual IoResult read(std::span<const MutableByteSpan> into) = 0;
  /// Ok says how many bytes the system has taken, which from then on the transport needs no more. What it has not said
  /// to be taken must come again, first and unchanged, with the next write().
  virtual IoResult write(std::span<const ByteSpan> from) = 0;
  virtual void wait_readable() = 0;
  virtual void wait_writable() = 0;
  /// Tells the peer that nothing more will be written.
  virtual void shutdown_send() = 0;
  virtual void close() = 0;
  virtual const PeerInfo& peer() const noexcept = 0;
  virtual Loop& loop() const noexcept = 0;
};

}  // namespace trunkline::net
