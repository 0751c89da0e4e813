// SPDX-License-Identifier: MIT
// HealthService: the statuses of services, and the calls that ask for them.
#pragma once

#include "service/bell.h"
#include "service/ending.h"
#include "trunkline/v1/health.pb.h"

#include <trunkline/health.h>
#include <trunkline/protobuf.h>
#include <trunkline/server.h>

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>

namespace trunkline::service {

class HealthService final : public Health {
 public:
  using Request = v1::HealthCheckRequest;
  using Response = v1::HealthCheckResponse;

  void set_status(std::string_view service, ServingStatus status) override;
  void clear(std::string_view service) override;
  std::optional<ServingStatus> status(std::string_view service) const override;
  void shutdown() override;
  void resume() override;
  /// The server is going away: the same as shutdown(), for good, and watches end.
  void close();

  Status check(const Request& request, Response& response, ServerContext& context);
  asio::awaitable<Status> watch(const Request& request, ServerWriter<Response>& writer, ServerContext& context);

 private:
  /// A service with a status, or with watches that wait for one.
  struct Entry {
    std::optional<ServingStatus> status;
    std::set<Bell*> watches;
  };
  class Watch;

  std::optional<ServingStatus> told(const Entry& entry) const;
  /// With the mutex.
  void set_leaving(bool is_leaving);

  Ending ending_;
  mutable std::mutex mutex_;  // guards all below
  std::map<std::string, Entry, std::less<>> entries_{{"", {ServingStatus::serving, {}}}};
  bool is_leaving_ = false;
  bool is_closed_ = false;
};

}  // namespace trunkline::service
