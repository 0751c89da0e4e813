// SPDX-License-Identifier: MIT
// BareHttp1Connection: a socket that responds to HTTP/1.1 requests with one table of bytes.
#pragma once

#include "bare_http_connection.h"

#include <cstddef>
#include <cstdint>

namespace trunkline::bench {

/// Looks for the ends of heads and for their Content-Length; every response is the product of the contest's factors.
class BareHttp1Connection final : public BareHttpConnection {
 public:
  using BareHttpConnection::BareHttpConnection;

 private:
  std::size_t take_requests(const std::uint8_t* bytes, std::size_t size) override;
};

}  // namespace trunkline::bench
