// SPDX-License-Identifier: MIT
// Connector: where a channel's connections come from.
#pragma once

#include "net/dialer.h"

#include <memory>
#include <string>

namespace trunkline::client {

/// Loop's thread only.
class Connector {
 public:
  virtual ~Connector() = default;
  /// Makes one connection; `callback` is called once, on the loop, never from inside this. Letting go of what is
  /// returned gives it up; null if it cannot be given up, then the callback must be harmless after the channel is gone.
  virtual std::shared_ptr<net::Dial> connect(net::DialCallback callback) = 0;
  /// For error texts, e.g. "tcp://127.0.0.1:8888".
  virtual const std::string& target() const noexcept = 0;
};

/// Dials an endpoint.
class EndpointConnector final : public Connector {
 public:
  EndpointConnector(net::Loop& loop, const Endpoint& endpoint, net::DialOptions options)
      : loop_(loop), endpoint_(endpoint), options_(std::move(options)), target_(endpoint.to_string()) {
    if (options_.tls_cache == nullptr) options_.tls_cache = std::make_shared<net::TlsContextCache>();
  }
  std::shared_ptr<net::Dial> connect(net::DialCallback callback) override {
    return net::dial(loop_, endpoint_, options_, std::move(callback));
  }
  const std::string& target() const noexcept override { return target_; }

 private:
  net::Loop& loop_;
  const Endpoint endpoint_;
  net::DialOptions options_;
  const std::string target_;
};

}  // namespace trunkline::client
