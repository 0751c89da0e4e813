// SPDX-License-Identifier: MIT
// ReflectionService: the handlers of grpc.reflection.v1.ServerReflection, which describe what a server offers.
#pragma once

#include "service/current_catalog.h"
#include "service/shutdown_notifier.h"
#include "trunkline/v1/reflection.pb.h"

#include <trunkline/protobuf.h>
#include <trunkline/server.h>

#include <memory>
#include <set>
#include <string>

namespace trunkline::service {

/// The files that one stream has sent to its caller so far.
struct ReflectionProgress {
  std::shared_ptr<const Catalog> catalog;
  /// The names of files of that catalog.
  std::set<std::string> sent_files;
};

/// A thread-safe service, which the handlers of its server own.
class ReflectionService {
 public:
  using Request = v1::ServerReflectionRequest;
  using Response = v1::ServerReflectionResponse;

  explicit ReflectionService(Server& server) : catalog_(server) {}

  asio::awaitable<Status> info(ServerStream<Request, Response>& stream, ServerContext& context);
  /// Ends all streams. Any thread may call it.
  void close() { notifier_.notify(); }

 private:
  void respond(const Request& request, ReflectionProgress& progress, Response& response);

  CurrentCatalog catalog_;
  ShutdownNotifier notifier_;
};

}  // namespace trunkline::service
