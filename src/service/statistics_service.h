// SPDX-License-Identifier: MIT
// StatisticsService: a server's statistics as messages, once or again and again.
#pragma once

#include "service/ending.h"
#include "trunkline/v1/statistics.pb.h"

#include <trunkline/protobuf.h>
#include <trunkline/server.h>

namespace trunkline::service {

/// Fills `out` with what `request` asks for.
void describe(const ServerStatistics& statistics, const v1::StatisticsRequest& request, v1::ServerStatistics& out);

/// Lives in its server's handlers.
class StatisticsService {
 public:
  using Request = v1::StatisticsRequest;
  using Response = v1::ServerStatistics;

  explicit StatisticsService(Server& server) : server_(server) {}

  Status get(const Request& request, Response& response, ServerContext& context);
  asio::awaitable<Status> watch(const Request& request, ServerWriter<Response>& writer, ServerContext& context);
  /// Ends all watches. Any thread.
  void close() { ending_.begin(); }

 private:
  Server& server_;
  Ending ending_;
};

}  // namespace trunkline::service
