// SPDX-License-Identifier: MIT
// Server::announce(): is here because it knows both servers and names.
#include <trunkline/server.h>

#include "call/option_checker.h"
#include "naming/etcd/etcd_announcement.h"
#include "naming/etcd/etcd_client.h"
#include "naming/etcd/etcd_target.h"
#include "server/server_core.h"

#include <trunkline/target.h>

#include <asio/ip/address.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace trunkline {

namespace {

using naming::etcd::EtcdTarget;

constexpr double max_weight = 1e6;

void check_options(const AnnounceOptions& options) {
  constexpr call::OptionChecker checker("announce options");
  // The condition is written so that a NaN is refused.
  if (!(options.weight > 0 && options.weight <= max_weight)) {
    checker.refuse("weight " + std::to_string(options.weight) + " is not more than 0 and at most 1e6");
  }
  checker.check_range("time_to_live in seconds", options.time_to_live.count(), 2, 3600);
  checker.check_range("drain_delay in ms", options.drain_delay.count(), 0, 3'600'000);
}

bool has_every_address(const Endpoint& endpoint) {
  asio::error_code error;
  const auto address = asio::ip::make_address(endpoint.host(), error);
  return endpoint.host() == Endpoint::every_address || (!error && address.is_unspecified());
}

Result<std::vector<Endpoint>> advertised(const std::vector<std::string>& uris) {
  std::vector<Endpoint> endpoints;
  for (const std::string& uri : uris) {
    Result<Endpoint> endpoint = Endpoint::parse(uri);
    if (!endpoint) return std::move(endpoint).status();
    if (!endpoint->host().empty() && (has_every_address(*endpoint) || endpoint->port() == 0)) {
      return Status(StatusCode::invalid_argument, "advertise " + uri + ": clients cannot connect to this address");
    }
    endpoints.push_back(*std::move(endpoint));
  }
  return endpoints;
}

Result<std::vector<Endpoint>> reachable(const std::vector<Endpoint>& listening) {
  std::vector<Endpoint> endpoints;
  for (const Endpoint& endpoint : listening) {
    if (endpoint.host().empty()) continue;
    if (has_every_address(endpoint)) {
      return Status(StatusCode::invalid_argument, "the server listens on " + endpoint.to_string() +
                                                      ", which is no address that clients can connect to; say how they "
                                                      "reach it with the option advertise");
    }
    endpoints.push_back(endpoint);
  }
  if (!endpoints.empty()) return endpoints;
  return Status(StatusCode::failed_precondition,
                "the server listens on no tcp:// or tls:// endpoint; listen first, or set the option advertise");
}

Result<EtcdTarget> parsed(std::string_view uri) {
  const Result<Target> target = Target::parse(uri);
  if (!target) return target.status();
  if (target->is_endpoint || (target->scheme != "etcd" && target->scheme != "etcds")) {
    const std::string text = target->is_endpoint ? target->endpoint.to_string() : target->text;
    return Status(StatusCode::invalid_argument,
                  "servers are announced in etcd only, such as etcd://e1:2379,e2:2379/services/orders, not at " + text);
  }
  return EtcdTarget::parse(*target);
}

Status with_context(const Status& error) { return {error.code(), "announce server: " + std::string(error.message())}; }

}  // namespace

void Server::announce(std::string_view uri, const AnnounceOptions& options) {
  check_options(options);
  const Result<EtcdTarget> target = parsed(uri);
  if (!target) throw StatusError(with_context(target.status()));
  const Result<std::vector<Endpoint>> endpoints =
      options.advertise.empty() ? reachable(core_->endpoints()) : advertised(options.advertise);
  if (!endpoints) throw StatusError(with_context(endpoints.status()));
  std::vector<ResolvedServer> servers;
  for (const Endpoint& endpoint : *endpoints) {
    servers.push_back({.endpoint = endpoint,
                       .weight = options.weight,
                       .zone = options.zone,
                       .priority = options.priority,
                       .host_name = options.host_name});
  }
  const Status status = core_->announce([&](net::Loop& loop) {
    return std::make_unique<naming::etcd::EtcdAnnouncement>(
        loop, naming::etcd::EtcdAnnouncement::Parts{
                  .target = *target,
                  .servers = servers,
                  .time_to_live = options.time_to_live,
                  .drain_delay = options.drain_delay,
                  .calls = std::make_unique<naming::etcd::EtcdClient>(loop, *target),
                  .log = [core = core_.get()](LogLevel level, std::string_view text) { core->log(level, text); }});
  });
  if (!status.is_ok()) throw StatusError(status);
}

}  // namespace trunkline
