// SPDX-License-Identifier: MIT
// BareGrpcConnection: a socket that responds to gRPC requests from a table of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trunkline::bench {

/// Knows the frames of HTTP/2 but nothing of what is in header blocks. Requests are right, and responses fit into the
/// client's windows. Not thread-safe. Closes its socket.
class BareGrpcConnection {
 public:
  explicit BareGrpcConnection(int socket);
  ~BareGrpcConnection();
  BareGrpcConnection(const BareGrpcConnection&) = delete;
  BareGrpcConnection& operator=(const BareGrpcConnection&) = delete;

  int socket() const noexcept { return socket_; }

  /// Reads once, and adds a response for each request that ended. False if the connection has ended.
  bool read_requests();
  /// Writes as much as the kernel takes. False if the connection has ended.
  bool write_responses() noexcept;
  bool has_unwritten() const noexcept { return written_ < output_.size(); }

 private:
  /// Returns how many bytes of the input are done with.
  std::size_t take_frames();
  void take_frame(std::uint8_t type, std::uint8_t flags, std::uint32_t stream, const std::uint8_t* payload,
                  std::size_t size);
  void respond(std::uint32_t stream, const std::uint8_t* message, std::size_t size);
  void append(const std::uint8_t* bytes, std::size_t size);

  int socket_;
  bool has_preface_ = false;
  std::vector<std::uint8_t> input_;
  /// Bytes of the input that have come.
  std::size_t filled_ = 0;
  std::vector<std::uint8_t> output_;
  std::size_t written_ = 0;
  /// The frames of a response, whose stream ids are set for each call. Empty until the first request has come.
  std::vector<std::uint8_t> response_;
  std::size_t returnable_ = 0;
};

}  // namespace trunkline::bench
