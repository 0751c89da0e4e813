// SPDX-License-Identifier: MIT
// ReflectionService: makes the responses, and adds the service to a server.
#include "service/reflection_service.h"

#include <trunkline/reflection.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <vector>

namespace trunkline {

namespace service {

namespace protobuf = google::protobuf;

namespace {

struct InfoMethod {
  using Request = ReflectionService::Request;
  using Response = ReflectionService::Response;
  static constexpr MethodKind kind = MethodKind::bidirectional;
  static constexpr bool is_idempotent = false;
  static constexpr std::string_view description = "Sends one response to each request, in order.";
  static constexpr std::string_view name = "grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
};

struct AlphaInfoMethod : InfoMethod {
  static constexpr std::string_view name = "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";
};

void fail(v1::ServerReflectionResponse& response, StatusCode code, const std::string& text) {
  v1::ErrorResponse& error = *response.mutable_error_response();
  error.set_error_code(static_cast<int>(code));
  error.set_error_message(text);
}

/// Adds the file and those that it imports, without what has been sent.
void add_files(const protobuf::FileDescriptor& file, ReflectionProgress& progress, v1::FileDescriptorResponse& out) {
  std::set<std::string>& sent = progress.sent_files;
  std::deque<const protobuf::FileDescriptor*> queue{&file};
  sent.insert(file.name());
  while (!queue.empty()) {
    const protobuf::FileDescriptor& next = *queue.front();
    queue.pop_front();
    progress.catalog->with_comments(next).SerializeToString(out.add_file_descriptor_proto());
    for (int i = 0; i < next.dependency_count(); ++i) {
      if (sent.insert(next.dependency(i)->name()).second) queue.push_back(next.dependency(i));
    }
  }
}

void respond_with_file(const protobuf::FileDescriptor* file, const std::string& what, ReflectionProgress& progress,
                       v1::ServerReflectionResponse& response) {
  if (file == nullptr) return fail(response, StatusCode::not_found, what + " is not known");
  add_files(*file, progress, *response.mutable_file_descriptor_response());
}

const protobuf::FileDescriptor* file_of_extension(const protobuf::DescriptorPool& pool,
                                                  const v1::ExtensionRequest& request) {
  const protobuf::Descriptor* extended = pool.FindMessageTypeByName(request.containing_type());
  if (extended == nullptr) return nullptr;
  const protobuf::FieldDescriptor* field = pool.FindExtensionByNumber(extended, request.extension_number());
  return field != nullptr ? field->file() : nullptr;
}

void respond_with_extensions(const protobuf::DescriptorPool& pool, const std::string& type,
                             v1::ServerReflectionResponse& response) {
  const protobuf::Descriptor* extended = pool.FindMessageTypeByName(type);
  if (extended == nullptr) return fail(response, StatusCode::not_found, "message " + type + " is not known");
  std::vector<const protobuf::FieldDescriptor*> extensions;
  pool.FindAllExtensions(extended, &extensions);
  std::set<int> numbers;
  for (const protobuf::FieldDescriptor* extension : extensions) numbers.insert(extension->number());
  v1::ExtensionNumberResponse& found = *response.mutable_all_extension_numbers_response();
  found.set_base_type_name(type);
  for (const int number : numbers) found.add_extension_number(number);
}

}  // namespace

void ReflectionService::respond(const Request& request, ReflectionProgress& progress, Response& response) {
  response.set_valid_host(request.host());
  *response.mutable_original_request() = request;
  std::shared_ptr<const Catalog> current = catalog_.get();
  if (progress.catalog != current) progress = {std::move(current), {}};
  const protobuf::DescriptorPool& pool = progress.catalog->pool();
  switch (request.message_request_case()) {
    case Request::kFileByFilename:
      return respond_with_file(pool.FindFileByName(request.file_by_filename()), "file " + request.file_by_filename(),
                               progress, response);
    case Request::kFileContainingSymbol:
      return respond_with_file(pool.FindFileContainingSymbol(request.file_containing_symbol()),
                               "symbol " + request.file_containing_symbol(), progress, response);
    case Request::kFileContainingExtension: {
      const v1::ExtensionRequest& extension = request.file_containing_extension();
      return respond_with_file(
          file_of_extension(pool, extension),
          "extension " + std::to_string(extension.extension_number()) + " of " + extension.containing_type(), progress,
          response);
    }
    case Request::kAllExtensionNumbersOfType:
      return respond_with_extensions(pool, request.all_extension_numbers_of_type(), response);
    case Request::kListServices:
      for (const std::string& name : progress.catalog->services()) {
        response.mutable_list_services_response()->add_service()->set_name(name);
      }
      response.mutable_list_services_response();
      return;
    case Request::MESSAGE_REQUEST_NOT_SET:
      return fail(response, StatusCode::invalid_argument, "reflect: the request is empty");
  }
}

asio::awaitable<Status> ReflectionService::info(ServerStream<Request, Response>& stream, ServerContext& context) {
  ReflectionProgress progress;
  ShutdownNotifier::Subscription subscription(notifier_, context.executor());
  Status status;
  while (status.is_ok() && !subscription.is_shut_down()) {
    const Result<std::optional<Request>> request = co_await stream.async_read(subscription.token());
    if (request.is_ok() && !request->has_value()) co_return Status::ok();
    status = request.status();
    if (!status.is_ok()) break;
    Response response;
    respond(**request, progress, response);
    status = co_await stream.async_write(response, subscription.token());
  }
  if (subscription.is_shut_down()) co_return Status(StatusCode::unavailable, "reflect: the server is shutting down");
  co_return status;
}

}  // namespace service

void add_reflection(Server& server, const ReflectionOptions& options) {
  using service::ReflectionService;
  const auto reflection = std::make_shared<ReflectionService>(server);
  ServiceDefinition definition;
  definition.add<service::InfoMethod>(reflection, &ReflectionService::info,
                                      {.max_concurrent_calls = options.max_streams});
  definition.add<service::AlphaInfoMethod>(reflection, &ReflectionService::info,
                                           {.max_concurrent_calls = options.max_streams});
  server.add_service(std::move(definition));
  server.on_shutdown([weak = std::weak_ptr<ReflectionService>(reflection)] {
    if (const std::shared_ptr<ReflectionService> self = weak.lock()) self->close();
  });
}

}  // namespace trunkline
