// SPDX-License-Identifier: MIT
// Answers of the reflection service, and its place in a server.
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

struct Info {
  using Request = ReflectionService::Request;
  using Response = ReflectionService::Response;
  static constexpr MethodKind kind = MethodKind::bidirectional;
  static constexpr bool is_idempotent = false;
  static constexpr std::string_view description = "One answer to each request, in their order.";
  static constexpr std::string_view name = "grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
};

struct AlphaInfo : Info {
  static constexpr std::string_view name = "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";
};

void fail(v1::ServerReflectionResponse& response, StatusCode code, const std::string& text) {
  v1::ErrorResponse& error = *response.mutable_error_response();
  error.set_error_code(static_cast<int>(code));
  error.set_error_message(text);
}

/// The file, and those it imports that have not been sent.
void add_files(const protobuf::FileDescriptor& file, ReflectionTold& told, v1::FileDescriptorResponse& out) {
  std::set<std::string>& sent = told.files;
  std::deque<const protobuf::FileDescriptor*> queue{&file};
  sent.insert(file.name());
  while (!queue.empty()) {
    const protobuf::FileDescriptor& next = *queue.front();
    queue.pop_front();
    told.catalog->described(next).SerializeToString(out.add_file_descriptor_proto());
    for (int i = 0; i < next.dependency_count(); ++i) {
      if (sent.insert(next.dependency(i)->name()).second) queue.push_back(next.dependency(i));
    }
  }
}

void answer_file(const protobuf::FileDescriptor* file, const std::string& what, ReflectionTold& told,
                 v1::ServerReflectionResponse& response) {
  if (file == nullptr) return fail(response, StatusCode::not_found, what + " is not known");
  add_files(*file, told, *response.mutable_file_descriptor_response());
}

const protobuf::FileDescriptor* file_of_extension(const protobuf::DescriptorPool& pool,
                                                  const v1::ExtensionRequest& request) {
  const protobuf::Descriptor* extended = pool.FindMessageTypeByName(request.containing_type());
  if (extended == nullptr) return nullptr;
  const protobuf::FieldDescriptor* field = pool.FindExtensionByNumber(extended, request.extension_number());
  return field != nullptr ? field->file() : nullptr;
}

void answer_extensions(const protobuf::DescriptorPool& pool, const std::string& type,
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

std::shared_ptr<const Catalog> ReflectionService::catalog() {
  std::lock_guard lock(mutex_);
  // Before the methods are asked for: what changes in between makes another one necessary.
  const std::uint64_t version = server_.methods_version();
  if (catalog_ == nullptr || catalog_version_ != version) {
    catalog_ = std::make_shared<const Catalog>(server_.methods());
    catalog_version_ = version;
  }
  return catalog_;
}

void ReflectionService::answer(const Request& request, ReflectionTold& told, Response& response) {
  response.set_valid_host(request.host());
  *response.mutable_original_request() = request;
  std::shared_ptr<const Catalog> now = catalog();
  if (told.catalog != now) told = {std::move(now), {}};
  const protobuf::DescriptorPool& pool = told.catalog->pool();
  switch (request.message_request_case()) {
    case Request::kFileByFilename:
      return answer_file(pool.FindFileByName(request.file_by_filename()), "file " + request.file_by_filename(), told,
                         response);
    case Request::kFileContainingSymbol:
      return answer_file(pool.FindFileContainingSymbol(request.file_containing_symbol()),
                         "symbol " + request.file_containing_symbol(), told, response);
    case Request::kFileContainingExtension: {
      const v1::ExtensionRequest& asked = request.file_containing_extension();
      return answer_file(file_of_extension(pool, asked),
                         "extension " + std::to_string(asked.extension_number()) + " of " + asked.containing_type(),
                         told, response);
    }
    case Request::kAllExtensionNumbersOfType:
      return answer_extensions(pool, request.all_extension_numbers_of_type(), response);
    case Request::kListServices:
      for (const std::string& name : told.catalog->services()) {
        response.mutable_list_services_response()->add_service()->set_name(name);
      }
      response.mutable_list_services_response();
      return;
    case Request::MESSAGE_REQUEST_NOT_SET:
      return fail(response, StatusCode::invalid_argument, "the request asks for nothing that is known here");
  }
}

asio::awaitable<Status> ReflectionService::info(ServerStream<Request, Response>& stream, ServerContext& context) {
  ReflectionTold told;
  Ending::Stream open(ending_, context.executor());
  Status status;
  while (status.is_ok() && !open.is_over()) {
    const Result<std::optional<Request>> request = co_await stream.async_read(open.token());
    if (request.is_ok() && !request->has_value()) co_return Status::ok();
    status = request.status();
    if (!status.is_ok()) break;
    Response response;
    answer(**request, told, response);
    status = co_await stream.async_write(response, open.token());
  }
  if (open.is_over()) co_return Status(StatusCode::unavailable, "reflect: the server is shutting down");
  co_return status;
}

}  // namespace service

void add_reflection(Server& server, const ReflectionOptions& options) {
  using service::ReflectionService;
  const auto reflection = std::make_shared<ReflectionService>(server);
  ServiceDefinition definition;
  definition.add<service::Info>(reflection, &ReflectionService::info, {.max_concurrent_calls = options.max_streams});
  definition.add<service::AlphaInfo>(reflection, &ReflectionService::info,
                                     {.max_concurrent_calls = options.max_streams});
  server.add_service(std::move(definition));
  server.on_shutdown([asked = std::weak_ptr<ReflectionService>(reflection)] {
    if (const std::shared_ptr<ReflectionService> alive = asked.lock()) alive->close();
  });
}

}  // namespace trunkline
