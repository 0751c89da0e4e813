// SPDX-License-Identifier: MIT
// AresLookup: asks for SRV records, addresses and service configs through c-ares.
#pragma once

#include "base/timer_wheel.h"
#include "naming/dns/ares_sockets.h"
#include "naming/dns/dns_lookup.h"
#include "naming/dns/dns_target.h"
#include "net/deferred_task.h"

#include <list>
#include <memory>
#include <string>
#include <unordered_set>

namespace trunkline::naming::dns {

/// Each lookup reads the configuration of the system anew. What getaddrinfo() of c-ares does holds for addresses:
/// /etc/hosts comes first where the system says so, A and AAAA records are asked for at the same time, and the search
/// domains do not apply to a name that ends with a dot. The addresses do not wait for service configs for longer than
/// `patience`.
class AresLookup final : public DnsLookup {
 public:
  static constexpr base::Duration patience = std::chrono::seconds(1);

  /// Makes a lookup. `server_scheme` is that of the servers' endpoints.
  AresLookup(net::Loop& loop, DnsTarget target, std::string server_scheme);
  ~AresLookup() override;

  void start(Done done) override;

 private:
  /// One host whose addresses are looked up.
  struct Host {
    AresLookup& owner;
    std::string name;
    std::uint16_t port;
    double weight;
    std::uint32_t priority;
  };

  void ask_for_services();
  void ask_for_service_configs();
  void ask_for_host(std::string name, std::uint16_t port, double weight, std::uint32_t priority);
  void take_services(int status, std::span<const unsigned char> message);
  void take_service_configs(int status, std::span<const unsigned char> message);
  void take_addresses(const Host& host, int status, const ares_addrinfo* found);
  void limit_time_to_live(base::Duration lifetime) noexcept;
  void fail(const std::string& what, int status);
  /// Defers the end of the lookup if no query is under way: c-ares may be on the stack.
  void query_ended();
  void report_without_configs();
  void finish();

  net::Loop& loop_;
  const DnsTarget target_;
  const std::string server_scheme_;
  Done done_;
  DnsAnswer answer_;
  /// The servers in answer_, so that each is there once.
  std::unordered_set<std::string> found_;
  int open_queries_ = 0;
  /// True while a query for service configs is open.
  bool is_asking_for_configs_ = false;
  base::Timer patience_;
  net::DeferredTask finish_;
  std::list<Host> hosts_;
  /// The channel is destroyed first: its queries call back.
  std::unique_ptr<AresSockets> sockets_;
};

}  // namespace trunkline::naming::dns
