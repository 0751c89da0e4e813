// SPDX-License-Identifier: MIT
// ReflectionService: answers questions about what a server offers.
#pragma once

#include "service/catalog.h"
#include "service/ending.h"
#include "trunkline/v1/reflection.pb.h"

#include <trunkline/protobuf.h>
#include <trunkline/server.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace trunkline::service {

/// What one call has been told so far.
struct ReflectionTold {
  std::shared_ptr<const Catalog> catalog;
  std::set<std::string> files;  ///< of that catalog
};

/// Lives in its server's handlers.
class ReflectionService {
 public:
  using Request = v1::ServerReflectionRequest;
  using Response = v1::ServerReflectionResponse;

  explicit ReflectionService(Server& server) : server_(server) {}

  asio::awaitable<Status> info(ServerStream<Request, Response>& stream, ServerContext& context);
  /// Ends all streams. Any thread.
  void close() { ending_.begin(); }

 private:
  std::shared_ptr<const Catalog> catalog();
  void answer(const Request& request, ReflectionTold& told, Response& response);

  Server& server_;
  Ending ending_;
  std::mutex mutex_;  // guards all below
  std::shared_ptr<const Catalog> catalog_;
  std::uint64_t catalog_version_ = 0;  // the server's, of its methods
};

}  // namespace trunkline::service
