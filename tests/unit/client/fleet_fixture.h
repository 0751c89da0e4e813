// SPDX-License-Identifier: MIT
// FleetFixture: a channel to several servers, which the test plays, and a resolver that reports what the test says.
#pragma once

#include "client/fleet.h"
#include "unit/client/client_fixture.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace trunkline::client {

inline ResolvedServer server_at(std::uint16_t port) {
  return {.endpoint = Endpoint::parse("tcp://10.0.0.1:" + std::to_string(port)).value()};
}

class FleetFixture : public ClientFixture {
 protected:
  /// Reports what the test tells it to.
  class Reporter final : public Resolver {
   public:
    explicit Reporter(FleetFixture& test) noexcept : test_(test) {}
    ~Reporter() override { test_.reporter = nullptr; }
    void start(std::shared_ptr<ResolverUpdates> updates) override {
      test_.updates = std::move(updates);
      if (test_.start_throws) throw std::runtime_error("no table");
      if (!test_.at_start.empty()) test_.updates->update({.servers = test_.at_start});
    }
    void refresh() override {
      ++test_.refreshes;
      if (test_.refresh_throws) throw std::runtime_error("no table");
    }

   private:
    FleetFixture& test_;
  };

  explicit FleetFixture(std::uint16_t count = 3) {
    using std::chrono::milliseconds;
    options.balancing = {.policy = BalancingPolicy::round_robin, .slow_start = milliseconds(0), .seed = 1};
    options.max_retries = 0;
    for (std::uint16_t port = 1; port <= count; ++port) {
      networks.emplace(port, std::make_unique<FakeNetwork>(loop()));
      at_start.push_back(server_at(port));
    }
    make_channel();
  }
  ~FleetFixture() override {
    core.reset();
    fleet.reset();
  }

  /// With `options`, in place of the one that is there.
  void make_channel() {
    core.reset();
    fleet.reset();
    core = ChannelCore::make(loop(), options, [this](const ConnectionSetup& setup, SourceOwner& owner) {
      auto made = std::make_unique<Reporter>(*this);
      reporter = made.get();
      return std::make_unique<Fleet>(setup, owner,
                                     FleetParts{.resolver = std::move(made),
                                                .make_connector =
                                                    [this](const ResolvedServer& server) {
                                                      return networks.at(server.endpoint.port())->connector();
                                                    },
                                                .target = "test://fleet"});
    });
    fleet = std::make_unique<Channel>(core);
  }

  std::shared_ptr<Outcome> call(const CallOptions& call_options = {}) {
    auto outcome = std::make_shared<Outcome>();
    on_loop([this, outcome, call_options] {
      fleet->async_call<std::string>("Echo", std::string("x"), call_options, [outcome](Result<std::string> result) {
        outcome->result = std::move(result);
        ++outcome->count;
      });
    });
    return outcome;
  }
  /// How many calls each server has got on all its connections.
  std::vector<std::size_t> calls() const {
    std::vector<std::size_t> counts;
    for (const auto& [port, network] : networks) {
      std::size_t count = 0;
      for (const auto& server : network->servers) count += server->calls.size();
      counts.push_back(count);
    }
    return counts;
  }
  /// Channel::servers() would wait for the thread that runs the loop.
  std::vector<ServerState> servers() const { return core->invoker().source().servers(); }
  void report(std::vector<ResolvedServer> servers) {
    on_loop([&] { updates->update({.servers = std::move(servers)}); });
  }

  std::map<std::uint16_t, std::unique_ptr<FakeNetwork>> networks;
  std::vector<ResolvedServer> at_start{};
  std::shared_ptr<ResolverUpdates> updates;
  Reporter* reporter = nullptr;
  int refreshes = 0;
  bool start_throws = false;
  bool refresh_throws = false;
  std::unique_ptr<Channel> fleet;
};

}  // namespace trunkline::client
