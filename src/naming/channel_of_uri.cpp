// SPDX-License-Identifier: MIT
// The constructors of Channel that take a URI. They are here because they know both names and channels.
#include <trunkline/channel.h>

#include "client/channel_core.h"
#include "client/fleet.h"
#include "client/options_check.h"
#include "naming/endpoint_source.h"

#include <memory>
#include <string>
#include <utility>

namespace trunkline {

namespace {

using client::ChannelCore;

/// The connectors of one fleet, which read the files of TLS once.
class FleetConnectors {
 public:
  FleetConnectors(net::Loop& loop, const ChannelOptions& options)
      : loop_(loop), dial_(naming::dial_options(options)), http_version_(options.http_version) {
    dial_.tls_cache = std::make_shared<net::TlsContextCache>();
  }
  std::unique_ptr<client::Connector> operator()(const ResolvedServer& server) const {
    net::DialOptions dial = dial_;
    if (dial.tls.server_name.empty() && !server.host_name.empty()) {
      dial.tls.server_name = server.host_name.substr(0, server.host_name.rfind(':'));
    }
    return std::make_unique<client::EndpointConnector>(loop_, server.endpoint, std::move(dial), http_version_);
  }

 private:
  net::Loop& loop_;
  net::DialOptions dial_;
  const HttpVersion http_version_;
};

const ResolverRegistry::Factory* resolver_for(const Target& target, const ChannelOptions& options) {
  const ResolverRegistry::Factory* const own = options.resolvers.find(target.scheme);
  return own != nullptr ? own : ResolverRegistry::built_in().find(target.scheme);
}

/// Throws StatusError if there is no resolver for the target.
void check_scheme(const Target& target, const ChannelOptions& options) {
  if (resolver_for(target, options) != nullptr) return;
  std::string known =
      "tcp, tls, unix, inproc, grpc, grpcs, grpc+unix, ws, wss, ws+unix, http, https, http+unix, grpc-web, grpc-webs, "
      "grpc-web+unix";
  for (const ResolverRegistry* const registry : {&ResolverRegistry::built_in(), &options.resolvers}) {
    for (const std::string& scheme : registry->schemes()) {
      if (scheme != "list") known += ", " + scheme;
    }
  }
  throw StatusError(Status(StatusCode::invalid_argument, "parse target \"" + target.text + "\": unknown scheme '" +
                                                             target.scheme + "', use " + known));
}

ChannelCore::MakeSource fleet_of(const Target& target) {
  return [target](const client::ConnectionSetup& setup, client::SourceOwner& owner) {
    const ResolverRegistry::Factory& make_resolver = *resolver_for(target, setup.options);
    Result<std::unique_ptr<Resolver>> resolver = make_resolver({.target = target,
                                                                .options = setup.options,
                                                                .executor = setup.loop.context().get_executor(),
                                                                .loop = setup.loop});
    if (!resolver) throw StatusError(std::move(resolver).status());
    return std::make_unique<client::Fleet>(
        setup, owner,
        client::FleetParts{.resolver = *std::move(resolver),
                           .make_connector = FleetConnectors(setup.loop, setup.options),
                           .target = target.text});
  };
}

/// Checks `options`, and completes them.
ChannelCore::MakeSource source_for(std::string_view uri, ChannelOptions& options) {
  const Target target = Target::parse(uri).value();
  if (!target.is_endpoint) {
    check_scheme(target, options);
    client::check_options(options, target);
    return fleet_of(target);
  }
  return naming::endpoint_source(target.endpoint, options);
}

}  // namespace

Channel::Channel(std::string_view uri, ChannelOptions options) {
  const auto make_source = source_for(uri, options);
  core_ = ChannelCore::make(std::make_unique<net::Loop>(options.loop), std::move(options), make_source);
}

Channel::Channel(EventLoop& loop, std::string_view uri, ChannelOptions options) {
  const auto make_source = source_for(uri, options);
  core_ = ChannelCore::make(net::Loop::of(loop), std::move(options), make_source);
}

}  // namespace trunkline
