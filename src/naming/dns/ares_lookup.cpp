// SPDX-License-Identifier: MIT
// AresLookup: turns records into servers.
#include "naming/dns/ares_lookup.h"

#include "naming/dns/answer_ttl.h"

#include <asio/ip/address.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <utility>

namespace trunkline::naming::dns {

namespace {

constexpr int class_in = 1;
constexpr int type_txt = 16;
constexpr int type_srv = 33;
/// The weight of a server with weight 0: RFC 2782 gives it hardly any call beside others.
constexpr double smallest_weight = 0.01;
constexpr std::size_t max_servers = 10000;
constexpr std::string_view service_config_prefix = "grpc_config=";

bool is_destroyed(int status) noexcept { return status == ARES_EDESTRUCTION || status == ARES_ECANCELLED; }

std::string address_of(const ares_addrinfo_node& node) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (node.ai_family == AF_INET) {
    const auto* const address = reinterpret_cast<const sockaddr_in*>(node.ai_addr);
    return inet_ntop(AF_INET, &address->sin_addr, text.data(), text.size()) != nullptr ? text.data() : "";
  }
  if (node.ai_family != AF_INET6) return {};
  const auto* const address = reinterpret_cast<const sockaddr_in6*>(node.ai_addr);
  if (inet_ntop(AF_INET6, &address->sin6_addr, text.data(), text.size()) == nullptr) return {};
  return std::string("[") + text.data() + "]";
}

}  // namespace

AresLookup::AresLookup(net::Loop& loop, DnsTarget target, std::string server_scheme)
    : loop_(loop),
      target_(std::move(target)),
      server_scheme_(std::move(server_scheme)),
      patience_(
          [](base::Timer&, void* self, base::TimePoint) { static_cast<AresLookup*>(self)->report_without_configs(); },
          this),
      finish_([](void* self) { static_cast<AresLookup*>(self)->finish(); }, this) {}

AresLookup::~AresLookup() = default;

void AresLookup::start(Done done) {
  done_ = std::move(done);
  answer_ = {};
  answer_.time_to_live = base::Duration::max();
  is_asking_for_configs_ = false;
  hosts_.clear();
  found_.clear();
  sockets_ = std::make_unique<AresSockets>(loop_);
  if (Status status = sockets_->open(target_.name_server); !status.is_ok()) {
    answer_.status = std::move(status);
    return loop_.defer(finish_);
  }
  // The count has one for this function: until the queries have been started, none of them is the last.
  open_queries_ = 1;
  if (target_.uses_srv) {
    ask_for_services();
  } else {
    ask_for_host(target_.host, target_.port, 1, 0);
  }
  if (target_.uses_service_config) ask_for_service_configs();
  sockets_->arm_timer();
  query_ended();
}

void AresLookup::ask_for_services() {
  ++open_queries_;
  const auto answered = [](void* self, int status, int, unsigned char* message, int size) {
    if (is_destroyed(status)) return;
    auto& lookup = *static_cast<AresLookup*>(self);
    lookup.take_services(status, {message, message == nullptr ? 0 : static_cast<std::size_t>(size)});
    lookup.query_ended();
  };
  ares_search(sockets_->channel(), target_.host.c_str(), class_in, type_srv, answered, this);
}

void AresLookup::ask_for_service_configs() {
  ++open_queries_;
  is_asking_for_configs_ = true;
  const auto answered = [](void* self, int status, int, unsigned char* message, int size) {
    if (is_destroyed(status)) return;
    auto& lookup = *static_cast<AresLookup*>(self);
    lookup.is_asking_for_configs_ = false;
    lookup.take_service_configs(status, {message, message == nullptr ? 0 : static_cast<std::size_t>(size)});
    lookup.query_ended();
  };
  const std::string name = "_grpc_config." + std::string(target_.domain());
  ares_search(sockets_->channel(), name.c_str(), class_in, type_txt, answered, this);
}

void AresLookup::ask_for_host(std::string name, std::uint16_t port, double weight, std::uint32_t priority) {
  ++open_queries_;
  hosts_.push_back({.owner = *this, .name = std::move(name), .port = port, .weight = weight, .priority = priority});
  Host& host = hosts_.back();
  ares_addrinfo_hints hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_flags = ARES_AI_NOSORT;
  hints.ai_socktype = SOCK_STREAM;
  const auto answered = [](void* argument, int status, int, ares_addrinfo* found) {
    const std::unique_ptr<ares_addrinfo, decltype(&ares_freeaddrinfo)> owned(found, &ares_freeaddrinfo);
    if (is_destroyed(status)) return;
    Host& answered_host = *static_cast<Host*>(argument);
    answered_host.owner.take_addresses(answered_host, status, found);
    answered_host.owner.query_ended();
  };
  ares_getaddrinfo(sockets_->channel(), host.name.c_str(), nullptr, &hints, answered, &host);
}

void AresLookup::take_services(int status, std::span<const unsigned char> message) {
  ares_srv_reply* parsed = nullptr;
  if (status == ARES_SUCCESS) status = ares_parse_srv_reply(message.data(), static_cast<int>(message.size()), &parsed);
  const std::unique_ptr<ares_srv_reply, decltype(&ares_free_data)> owned(parsed, &ares_free_data);
  const bool has_none = status == ARES_ENODATA || status == ARES_ENOTFOUND || (status == ARES_SUCCESS && !parsed);
  if (has_none && target_.port != 0) return ask_for_host(target_.host, target_.port, 1, 0);
  if (status != ARES_SUCCESS) return fail("SRV records of " + target_.host, status);

  limit_time_to_live(std::chrono::seconds(answer_ttl(message).value_or(0)));
  bool has_weights = false;
  for (const auto* service = parsed; service != nullptr; service = service->next) {
    has_weights = has_weights || service->weight != 0;
  }
  for (const auto* service = parsed; service != nullptr; service = service->next) {
    std::string host = service->host;
    // RFC 2782: the root means that the service is decidedly not available.
    if (host.empty() || host == "." || service->port == 0) continue;
    if (host.back() != '.') host += '.';
    ask_for_host(std::move(host), service->port, has_weights ? std::max<double>(service->weight, smallest_weight) : 1,
                 service->priority);
  }
}

/// Takes the service configs. A failure leaves them unknown: the servers are of use without.
void AresLookup::take_service_configs(int status, std::span<const unsigned char> message) {
  ares_txt_ext* parsed = nullptr;
  if (status == ARES_SUCCESS) {
    status = ares_parse_txt_reply_ext(message.data(), static_cast<int>(message.size()), &parsed);
  }
  const std::unique_ptr<ares_txt_ext, decltype(&ares_free_data)> owned(parsed, &ares_free_data);
  if (status == ARES_ENODATA || status == ARES_ENOTFOUND) answer_.service_configs.emplace();
  if (status != ARES_SUCCESS) return;

  limit_time_to_live(std::chrono::seconds(answer_ttl(message).value_or(0)));
  // A record is one or more strings of at most 255 bytes.
  std::vector<std::string> records;
  for (const auto* part = parsed; part != nullptr; part = part->next) {
    if (part->record_start != 0 || records.empty()) records.emplace_back();
    records.back().append(reinterpret_cast<const char*>(part->txt), part->length);
  }
  answer_.service_configs.emplace();
  for (const std::string& record : records) {
    if (!record.starts_with(service_config_prefix)) continue;
    answer_.service_configs = record.substr(service_config_prefix.size());
    return;
  }
}

void AresLookup::take_addresses(const Host& host, int status, const ares_addrinfo* found) {
  if (status != ARES_SUCCESS || found == nullptr || found->nodes == nullptr) {
    const bool has_none = status == ARES_SUCCESS || status == ARES_ENODATA || status == ARES_ENOTFOUND;
    // The host may well have addresses, so those of the others are not the whole answer for as long as they hold.
    if (!has_none) limit_time_to_live(base::Duration::zero());
    return fail(host.name, status == ARES_SUCCESS ? ARES_ENODATA : status);
  }
  double count = 0;
  for (const auto* node = found->nodes; node != nullptr; node = node->ai_next) ++count;
  for (const auto* alias = found->cnames; alias != nullptr; alias = alias->next) {
    limit_time_to_live(std::chrono::seconds(alias->ttl));
  }
  for (const auto* node = found->nodes; node != nullptr; node = node->ai_next) {
    if (!target_.is_numeric()) limit_time_to_live(std::chrono::seconds(node->ai_ttl));
    if (answer_.servers.size() == max_servers) continue;
    Result<Endpoint> endpoint =
        Endpoint::parse(server_scheme_ + "://" + address_of(*node) + ":" + std::to_string(host.port));
    if (!endpoint) continue;
    // The addresses of one SRV record share its weight.
    ResolvedServer server{.endpoint = *std::move(endpoint),
                          .weight = target_.uses_srv ? host.weight / count : host.weight,
                          .zone = {},
                          .priority = host.priority,
                          .host_name = target_.host_name(host.port)};
    std::string key =
        server.endpoint.to_string() + '#' + std::to_string(server.priority) + '#' + std::to_string(server.weight);
    if (found_.insert(std::move(key)).second) answer_.servers.push_back(std::move(server));
  }
}

void AresLookup::limit_time_to_live(base::Duration lifetime) noexcept {
  answer_.time_to_live = std::min(answer_.time_to_live, std::max(lifetime, base::Duration::zero()));
}

void AresLookup::fail(const std::string& what, int status) {
  answer_.status =
      Status(StatusCode::unavailable, "resolve " + what + ": " + ares_strerror(status), StatusOrigin::transport);
}

void AresLookup::query_ended() {
  if (--open_queries_ == 0) return loop_.defer(finish_);
  const bool are_only_configs_left = open_queries_ == 1 && is_asking_for_configs_;
  if (are_only_configs_left && !answer_.servers.empty()) loop_.timers().schedule(patience_, loop_.now() + patience);
}

void AresLookup::report_without_configs() {
  DnsAnswer answer = answer_;
  answer.status = {};
  answer.is_final = false;
  // The callback may destroy this object.
  const Done done = done_;
  done(std::move(answer));
}

void AresLookup::finish() {
  patience_.cancel();
  sockets_.reset();
  // A host that could not be found is of no account if others were.
  if (!answer_.servers.empty()) {
    answer_.status = {};
  } else if (answer_.status.is_ok()) {
    fail(target_.host, ARES_ENODATA);
  }
  // The callback may destroy this object.
  const Done done = std::move(done_);
  done(std::move(answer_));
}

}  // namespace trunkline::naming::dns
