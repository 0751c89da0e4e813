// SPDX-License-Identifier: MIT
// ConnectionArguments: the endpoint and the options of TLS, which every command that calls a server has.
#pragma once

#include <trunkline/channel.h>

#include <CLI/CLI.hpp>

#include <memory>
#include <string>

namespace trunkline::cli {

class ConnectionArguments {
 public:
  void declare(CLI::App& app);
  /// Throws Failure for an endpoint that is none, and for options that do not go together.
  std::unique_ptr<Channel> connect() const;
  /// What a channel to this endpoint is made with. Throws Failure for options that do not go together.
  ChannelOptions options(const std::string& uri) const;
  bool has_endpoint() const noexcept { return !typed_endpoint_.empty(); }
  const std::string& typed_endpoint() const noexcept { return typed_endpoint_; }
  /// The endpoint's URI; "host:port" is taken as tcp://host:port. Throws Failure.
  std::string endpoint() const;

 private:
  std::string typed_endpoint_;
  TlsOptions tls_;
  bool is_insecure_ = false;
  std::uint64_t max_message_bytes_ = ConnectionLimits().max_message_bytes;
};

}  // namespace trunkline::cli
