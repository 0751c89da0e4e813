// SPDX-License-Identifier: MIT
// BreakingConnector: dials real endpoints, and cuts the first connections after a number of bytes, as a crash would.
#pragma once

#include "client/connector.h"
#include "simulation/faulty_transport.h"

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace trunkline::scenario {

class BreakingConnector final : public client::Connector {
 public:
  /// After how many bytes, of both directions together, each of the first connections breaks. Later ones never do.
  BreakingConnector(net::Loop& loop, std::string_view uri, std::vector<std::uint64_t> break_after)
      : inner_(loop, Endpoint::parse(uri).value(), {}), break_after_(std::move(break_after)) {}

  std::shared_ptr<net::Dial> connect(net::DialCallback callback) override {
    simulation::TransportFaults faults{.seed = 1};
    if (made_ < break_after_.size()) faults.break_after = break_after_[made_];
    ++made_;
    return inner_.connect([faults, callback = std::move(callback)](Result<std::unique_ptr<net::Transport>> transport) {
      if (!transport) return callback(std::move(transport));
      std::unique_ptr<net::Transport> fragile =
          std::make_unique<simulation::FaultyTransport>(*std::move(transport), faults);
      callback(std::move(fragile));
    });
  }
  const std::string& target() const noexcept override { return inner_.target(); }

 private:
  client::EndpointConnector inner_;
  const std::vector<std::uint64_t> break_after_;
  std::size_t made_ = 0;
};

}  // namespace trunkline::scenario
