// SPDX-License-Identifier: MIT
// BareHttpConnection: a socket whose requests are answered as they come, one read and one write per batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trunkline::bench {

/// Not thread-safe. Closes its socket.
class BareHttpConnection {
 public:
  explicit BareHttpConnection(int socket);
  virtual ~BareHttpConnection();
  BareHttpConnection(const BareHttpConnection&) = delete;
  BareHttpConnection& operator=(const BareHttpConnection&) = delete;

  int socket() const noexcept { return socket_; }

  /// Reads once, and adds a response for each request that ended. False if the connection has ended.
  bool read_requests();
  /// Writes as much as the kernel takes. False if the connection has ended.
  bool write_responses() noexcept;
  bool has_unwritten() const noexcept { return written_ < output_.size(); }

 protected:
  /// Adds the responses to output(). Returns how many of the bytes are done with.
  virtual std::size_t take_requests(const std::uint8_t* bytes, std::size_t size) = 0;
  std::vector<std::uint8_t>& output() noexcept { return output_; }

 private:
  int socket_;
  std::vector<std::uint8_t> input_;
  /// Bytes of the input that have come.
  std::size_t filled_ = 0;
  std::vector<std::uint8_t> output_;
  std::size_t written_ = 0;
};

}  // namespace trunkline::bench
