// SPDX-License-Identifier: MIT
// endpoint_source(): makes a pool of connections to the endpoint.
#include "naming/endpoint_source.h"

#include "client/options_check.h"

#include <memory>
#include <string>
#include <utility>

namespace trunkline::naming {

namespace {

std::string host_and_port(const Endpoint& endpoint) {
  if (endpoint.host().empty()) return {};
  const std::string text = endpoint.to_string();
  return text.substr(text.find("://") + 3);
}

}  // namespace

net::DialOptions dial_options(const ChannelOptions& options) {
  net::DialOptions dial;
  dial.transport = options.transport;
  dial.tls = options.tls;
  dial.connect_timeout = options.connect_timeout;
  return dial;
}

client::ChannelCore::MakeSource endpoint_source(const Endpoint& endpoint, ChannelOptions& options) {
  client::check_options(options, endpoint);
  if (options.authority.empty()) options.authority = host_and_port(endpoint);
  return [endpoint](const client::ConnectionSetup& setup, client::SourceOwner& owner) {
    return std::make_unique<client::ConnectionPool>(
        setup, owner,
        std::make_unique<client::EndpointConnector>(setup.loop, endpoint, dial_options(setup.options),
                                                    setup.options.http_version));
  };
}

}  // namespace trunkline::naming
