// SPDX-License-Identifier: MIT
// HealthService: keeps the statuses of services, and has the handlers of grpc.health.v1.Health.
#pragma once

#include "service/async_event.h"
#include "service/shutdown_notifier.h"
#include "trunkline/v1/health.pb.h"

#include <trunkline/health.h>
#include <trunkline/protobuf.h>
#include <trunkline/server.h>

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace trunkline::service {

/// A thread-safe service. The user, who sets the statuses, shares it with the server, whose handlers report them.
class HealthService final : public Health {
 public:
  using Request = v1::HealthCheckRequest;
  using Response = v1::HealthCheckResponse;

  void set_status(std::string_view service, ServingStatus status) override;
  void clear(std::string_view service) override;
  std::optional<ServingStatus> status(std::string_view service) const override;
  void shutdown() override;
  void resume() override;
  /// Shuts down with the server: as shutdown() does, but resume() has no effect any more, and watches end.
  void close();

  Status check(const Request& request, Response& response, ServerContext& context);
  asio::awaitable<Status> watch(const Request& request, ServerWriter<Response>& writer, ServerContext& context);

 private:
  class Watch;
  /// A service that has a status, or for whose status watches wait.
  struct Entry {
    std::optional<ServingStatus> status;
    std::set<AsyncEvent*> watches;
  };

  /// Returns the status that callers get. Requires the mutex.
  std::optional<ServingStatus> reported_status(const Entry& entry) const;
  /// Wakes all watches. Requires the mutex.
  void set_shut_down(bool is_shut_down);

  ShutdownNotifier notifier_;
  /// Guards the members below.
  mutable std::mutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_{{"", {ServingStatus::serving, {}}}};
  /// True if services that have a status are reported as not serving.
  bool is_shut_down_ = false;
  bool is_closed_ = false;
};

}  // namespace trunkline::service
