// SPDX-License-Identifier: MIT
// Health: tells callers whether a server's services are ready, as gRPC's health checking protocol does.
#pragma once

#include <trunkline/export.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace trunkline {

class Server;

enum class ServingStatus : std::uint8_t {
  unknown = 0,
  serving = 1,
  not_serving = 2,
  service_unknown = 3,  ///< told by watches of a service that has no status
};

/// "serving" and so on; "unknown" for a value outside the enumeration.
TRUNKLINE_API std::string_view to_string(ServingStatus status) noexcept;

struct HealthOptions {
  std::size_t max_watches = 10'000;  ///< open at once; more are refused with resource_exhausted; 0: no limit
};

/// Thread-safe; may outlive its server. A service is any text, "" the server as a whole, which is serving at first.
class TRUNKLINE_API Health {
 public:
  virtual ~Health() = default;

  /// Tells watches, if it is a change. Throws std::invalid_argument for service_unknown, which clear() is for.
  virtual void set_status(std::string_view service, ServingStatus status) = 0;
  /// The service has no status any more.
  virtual void clear(std::string_view service) = 0;
  /// What a check is told; nullopt if it would end with not_found.
  virtual std::optional<ServingStatus> status(std::string_view service) const = 0;
  /// From now on all services that have a status are told to be not serving. What is set meanwhile is kept for
  /// resume(). Call it some time before Server::shutdown(), which does the same and then ends all watches with
  /// unavailable.
  virtual void shutdown() = 0;
  virtual void resume() = 0;
};

/// Serves grpc.health.v1.Health. Needs a build with protobuf. Throws std::invalid_argument if its methods are
/// registered already.
TRUNKLINE_API std::shared_ptr<Health> add_health(Server& server, const HealthOptions& options = {});

}  // namespace trunkline
