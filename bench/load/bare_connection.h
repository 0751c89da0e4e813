// SPDX-License-Identifier: MIT
// BareConnection: a socket that reads what has come, counts frames by their fixed size, and writes as many.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace trunkline::bench {

/// Not thread-safe. Closes its socket.
class BareConnection {
 public:
  BareConnection(int socket, std::size_t frame_bytes) noexcept : socket_(socket), frame_bytes_(frame_bytes) {}
  ~BareConnection();
  BareConnection(const BareConnection&) = delete;
  BareConnection& operator=(const BareConnection&) = delete;

  int socket() const noexcept { return socket_; }

  /// Reads once. Returns how many frames that completed, 0 if nothing had come, or -1 if the connection has ended.
  long read_frames() noexcept;
  /// Adds frames to the output and writes as much as the kernel takes. False if the connection has ended.
  bool write_frames(std::uint64_t count) noexcept;
  bool has_unwritten() const noexcept { return unwritten_ > 0; }

 private:
  int socket_;
  std::size_t frame_bytes_;
  /// Bytes of the frame that has arrived in part.
  std::size_t partial_ = 0;
  /// Bytes.
  std::uint64_t unwritten_ = 0;
};

}  // namespace trunkline::bench
