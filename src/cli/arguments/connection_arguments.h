// SPDX-License-Identifier: MIT
// ConnectionArguments: declares the endpoint or name, and the channel's options, for commands that call servers.
#pragma once

#include <trunkline/channel.h>

#include <CLI/CLI.hpp>

#include <memory>
#include <string>

namespace trunkline::cli::arguments {

class ConnectionArguments {
 public:
  void declare(CLI::App& app);
  /// Returns a channel. Throws Failure for a malformed endpoint and for options that cannot be combined.
  std::unique_ptr<Channel> connect() const;
  /// Returns the options of a channel to this endpoint. Throws Failure for options that cannot be combined.
  ChannelOptions options(const std::string& uri) const;
  bool has_endpoint() const noexcept { return !typed_endpoint_.empty(); }
  const std::string& typed_endpoint() const noexcept { return typed_endpoint_; }
  /// Returns the URI of the servers; "host:port" means tcp://host:port. Throws Failure.
  std::string endpoint() const;

 private:
  std::string typed_endpoint_;
  TlsOptions tls_;
  bool is_insecure_ = false;
  std::string authority_;
  std::string user_agent_;
  std::string balancing_;
  std::string zone_;
  std::uint64_t max_message_bytes_ = ConnectionLimits().max_message_bytes;
};

}  // namespace trunkline::cli::arguments
