// SPDX-License-Identifier: MIT
// StatisticsExporter: the handlers of trunkline.v1.Statistics, which send the statistics of their server.
#pragma once

#include "service/shutdown_notifier.h"
#include "trunkline/v1/statistics.pb.h"

#include <trunkline/protobuf.h>
#include <trunkline/server.h>

namespace trunkline::service {

/// A thread-safe service, which the handlers of its server own.
class StatisticsExporter {
 public:
  using Request = v1::StatisticsRequest;
  using Response = v1::ServerStatistics;

  explicit StatisticsExporter(Server& server) : server_(server) {}

  Status get(const Request& request, Response& response, ServerContext& context);
  asio::awaitable<Status> watch(const Request& request, ServerWriter<Response>& writer, ServerContext& context);
  /// Watches as watch() does, but later messages lack what remove_unchanged_buckets() removes.
  asio::awaitable<Status> watch_changes(const Request& request, ServerWriter<Response>& writer, ServerContext& context);
  /// Ends all watches. Any thread may call it.
  void close() { notifier_.notify(); }

 private:
  asio::awaitable<Status> send(const Request& request, ServerWriter<Response>& writer, ServerContext& context,
                               bool changes_alone);

  Server& server_;
  ShutdownNotifier notifier_;
};

}  // namespace trunkline::service
