// SPDX-License-Identifier: MIT
// BareHttp2Connection: a socket that responds to requests of gRPC or Connect over HTTP/2 from a table of bytes.
#pragma once

#include "bare_http_connection.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trunkline::bench {

/// Knows the frames of HTTP/2 but nothing of what is in header blocks. Requests are right, and responses fit into the
/// client's windows.
class BareHttp2Connection final : public BareHttpConnection {
 public:
  enum class Protocol : std::uint8_t { grpc, connect };

  BareHttp2Connection(int socket, Protocol protocol);

 private:
  std::size_t take_requests(const std::uint8_t* bytes, std::size_t size) override;
  void take_frame(std::uint8_t type, std::uint8_t flags, std::uint32_t stream, const std::uint8_t* payload,
                  std::size_t size);
  void respond(std::uint32_t stream, const std::uint8_t* message, std::size_t size);

  Protocol protocol_;
  bool has_preface_ = false;
  /// The frames of a response, whose stream ids are set for each call. Empty until the first request has come.
  std::vector<std::uint8_t> response_;
  std::size_t returnable_ = 0;
};

}  // namespace trunkline::bench
