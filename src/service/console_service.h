// SPDX-License-Identifier: MIT
// ConsoleService: the handlers of trunkline.v1.Console, which tell the page of the console about their server.
#pragma once

#include "service/console_gate.h"
#include "service/current_catalog.h"
#include "service/statistics_exporter.h"
#include "trunkline/v1/console.pb.h"

#include <trunkline/protobuf.h>
#include <trunkline/server.h>

#include <utility>

namespace trunkline::service {

/// A thread-safe service, which the handlers of its server own.
class ConsoleService {
 public:
  ConsoleService(Server& server, ConsoleGate gate) : gate_(std::move(gate)), catalog_(server), statistics_(server) {}

  const ConsoleGate& gate() const noexcept { return gate_; }
  Status describe(const v1::DescribeRequest& request, v1::ServerDescription& response, ServerContext& context);
  asio::awaitable<Status> watch(const v1::StatisticsRequest& request, ServerWriter<v1::ServerStatistics>& writer,
                                ServerContext& context);
  /// Ends all watches. Any thread may call it.
  void close() { statistics_.close(); }

 private:
  const ConsoleGate gate_;
  CurrentCatalog catalog_;
  StatisticsExporter statistics_;
};

}  // namespace trunkline::service
