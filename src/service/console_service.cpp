// SPDX-License-Identifier: MIT
// ConsoleService: tells the page about the server, and adds the console to a server.
#include "service/console_service.h"

#include <google/protobuf/descriptor.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace trunkline {

namespace service {

namespace {

struct DescribeMethod {
  using Request = v1::DescribeRequest;
  using Response = v1::ServerDescription;
  static constexpr MethodKind kind = MethodKind::unary;
  static constexpr bool is_idempotent = false;
  static constexpr std::string_view name = "trunkline.v1.Console/Describe";
};

struct ConsoleWatchMethod {
  using Request = v1::StatisticsRequest;
  using Response = v1::ServerStatistics;
  static constexpr MethodKind kind = MethodKind::server_stream;
  static constexpr bool is_idempotent = false;
  static constexpr std::string_view name = "trunkline.v1.Console/Watch";
};

}  // namespace

Status ConsoleService::describe(const v1::DescribeRequest&, v1::ServerDescription& response, ServerContext& context) {
  if (Status status = gate_.check(context.metadata()); !status.is_ok()) return status;
  const std::shared_ptr<const Catalog> catalog = catalog_.get();
  std::set<std::string_view> known;
  std::vector<const google::protobuf::FileDescriptor*> waiting;
  const auto add = [&](const google::protobuf::FileDescriptor* file) {
    if (file != nullptr && known.insert(file->name()).second) waiting.push_back(file);
  };
  for (const std::string& service : catalog->services()) {
    response.add_services(service);
    add(catalog->pool().FindFileContainingSymbol(service));
  }
  while (!waiting.empty()) {
    const google::protobuf::FileDescriptor& file = *waiting.back();
    waiting.pop_back();
    catalog->with_comments(file).SerializeToString(response.add_files());
    for (int i = 0; i < file.dependency_count(); ++i) add(file.dependency(i));
  }
  response.set_version(TRUNKLINE_VERSION);
  return Status::ok();
}

asio::awaitable<Status> ConsoleService::watch(const v1::StatisticsRequest& request,
                                              ServerWriter<v1::ServerStatistics>& writer, ServerContext& context) {
  if (Status status = gate_.check(context.metadata()); !status.is_ok()) co_return status;
  co_return co_await statistics_.watch_changes(request, writer, context);
}

}  // namespace service

Endpoint Server::add_console(const ConsoleOptions& options) {
  using service::ConsoleService;
  const auto console = std::make_shared<ConsoleService>(*this, service::ConsoleGate(options));
  const bool is_private = !options.endpoint.empty();
  ServiceDefinition definition;
  definition.add<service::DescribeMethod>(console, &ConsoleService::describe, {.is_private = is_private});
  definition.add<service::ConsoleWatchMethod>(console, &ConsoleService::watch,
                                              {.max_concurrent_calls = options.max_watches, .is_private = is_private});
  add_service(std::move(definition));
  Endpoint opened;
  bool has_route = false;
  try {
    route("GET", options.path,
          [console](const HttpRequest& request, ServerContext& context) {
            return console->gate().page(request, context.peer());
          },
          {.is_private = is_private});
    has_route = true;
    if (is_private) opened = listen_private(options.endpoint);
  } catch (...) {
    if (has_route) remove("GET " + options.path);
    remove(service::DescribeMethod::name);
    remove(service::ConsoleWatchMethod::name);
    throw;
  }
  on_shutdown([weak = std::weak_ptr<ConsoleService>(console)] {
    if (const std::shared_ptr<ConsoleService> self = weak.lock()) self->close();
  });
  collect_statistics();
  return opened;
}

}  // namespace trunkline
