// SPDX-License-Identifier: MIT
// ReflectionService: the handlers of grpc.reflection.v1.ServerReflection, which describe what a server offers.
#pragma once

#include "service/catalog.h"
#include "service/shutdown_notifier.h"
#include "trunkline/v1/reflection.pb.h"

#include <trunkline/protobuf.h>
#include <trunkline/server.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace trunkline::service {

/// What one stream has sent to its caller so far.
struct ReflectionProgress {
  std::shared_ptr<const Catalog> catalog;
  /// The names of files of that catalog.
  std::set<std::string> sent_files;
};

/// Owned by the handlers of its server. Thread-safe.
class ReflectionService {
 public:
  using Request = v1::ServerReflectionRequest;
  using Response = v1::ServerReflectionResponse;

  explicit ReflectionService(Server& server) : server_(server) {}

  asio::awaitable<Status> info(ServerStream<Request, Response>& stream, ServerContext& context);
  /// Ends all streams. Any thread.
  void close() { notifier_.notify(); }

 private:
  /// Of the methods that the server has now.
  std::shared_ptr<const Catalog> catalog();
  void respond(const Request& request, ReflectionProgress& progress, Response& response);

  Server& server_;
  ShutdownNotifier notifier_;
  /// Guards the members below.
  std::mutex mutex_;
  std::shared_ptr<const Catalog> catalog_;
  /// Server::methods_version() of catalog_.
  std::uint64_t catalog_version_ = 0;
};

}  // namespace trunkline::service
