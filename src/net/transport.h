// SPDX-License-Identifier: MIT
// Transport: a non-blocking, bidirectional stream of bytes over a socket, TLS or memory.
#pragma once

#include "net/peer_certificate.h"

#include <trunkline/result.h>
#include <trunkline/slice.h>

#include <chrono>
#include <memory>
#include <span>
#include <string>

namespace trunkline::net {

class Loop;

/// Called on the transport's loop, once for each wait_readable() or wait_writable(), and also if the transport fails;
/// the next read() or write() then returns the error. Never called from inside a call into the transport.
class TransportObserver {
 public:
  virtual ~TransportObserver() = default;
  virtual void on_readable() = 0;
  virtual void on_writable() = 0;
};

enum class IoState : std::uint8_t { ok, would_block, end_of_stream, failed };

struct IoResult {
  IoState state = IoState::ok;
  /// The number of bytes, which is more than 0 if the state is ok.
  std::size_t bytes = 0;
  /// The error if the state is failed: unavailable, with the system's text.
  Status error;
};

/// The addresses of a connection, and what TLS has found out about the peer.
struct PeerInfo {
  /// The address of the peer, for example "tcp://127.0.0.1:40312", "unix:", "inproc://name".
  std::string address;
  std::string local_address;
  bool is_encrypted = false;
  /// The protocol that ALPN has negotiated; empty if none.
  std::string alpn;
  /// The verified certificate of the peer; null if there is none.
  std::shared_ptr<const PeerCertificate> certificate;
};

/// A transport to which all calls come from the loop's thread. close() and destruction cancel pending waits: the
/// observer is not called again.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual void set_observer(TransportObserver* observer) noexcept = 0;
  /// Reads what has arrived, as much as fits, in one system call.
  virtual IoResult read(std::span<const MutableByteSpan> into) = 0;
  /// If the result is ok, it says how many bytes were taken; the transport no longer needs them. The next write() must
  /// begin with the bytes that were not taken, unchanged.
  virtual IoResult write(std::span<const ByteSpan> from) = 0;
  virtual void wait_readable() = 0;
  virtual void wait_writable() = 0;
  /// Ends the stream to the peer; nothing may be written afterwards.
  virtual void shutdown_send() = 0;
  virtual void close() = 0;
  /// Closes, and has the peer's system told at once that this side reads no more. Output that is not read yet is lost.
  virtual void reset() { close(); }
  /// Returns true once the system of the peer has all that was written: close() can no longer lose it.
  virtual bool is_delivered() const noexcept { return true; }
  /// Has the system ask a peer that has been silent for `idle` whether it is there, and end the connection if nothing
  /// answers. No effect where TransportOptions::tcp_keepalive has asked for that already.
  virtual void ask_silent_peer(std::chrono::milliseconds idle) { static_cast<void>(idle); }
  /// Returns true, after the end of the stream, if the peer has closed both directions or is lost, as far as its system
  /// has told; false if it may still read. From the first call on, its system is asked now and then.
  virtual bool is_peer_gone() noexcept { return false; }
  /// Returns true if a read() would give something, be it an error or the end; false if that is not known.
  virtual bool has_input() const noexcept { return false; }
  virtual const PeerInfo& peer() const noexcept = 0;
  virtual Loop& loop() const noexcept = 0;
};

}  // namespace trunkline::net
