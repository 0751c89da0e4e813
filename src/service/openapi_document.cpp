// SPDX-License-Identifier: MIT
// Writes the document, and adds the route that serves it.
#include "service/openapi_document.h"

#include "codec/json_codec.h"
#include "service/descriptor_names.h"
#include "service/json_schemas.h"

#include <trunkline/server.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace trunkline {

namespace service {
namespace {

constexpr std::string_view error_name = "trunkline.Error";

Value error_schema() {
  static constexpr std::array codes{
      "aborted",           "already_exists",      "canceled",          "data_loss",
      "deadline_exceeded", "failed_precondition", "internal",          "invalid_argument",
      "not_found",         "out_of_range",        "permission_denied", "resource_exhausted",
      "unauthenticated",   "unavailable",         "unimplemented",     "unknown"};
  Value names = Value::array();
  for (const char* code : codes) names.push_back(code);
  const Value text = Value::object({{"type", "string"}});
  const Value details = Value::object({{"type", "array"}, {"items", Value::object({{"type", "object"}})}});
  return Value::object(
      {{"type", "object"},
       {"title", "Error"},
       {"properties", Value::object({{"code", Value::object({{"type", "string"}, {"enum", std::move(names)}})},
                                     {"message", text},
                                     {"details", details}})},
       {"required", Value::array({"code"})}});
}

/// Returns a path, in which characters that stand for something else in OpenAPI are encoded.
std::string path_of(std::string_view method) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  constexpr std::string_view plain = "/-._~!$&'()*+,;=:@";
  std::string path = "/";
  for (const char letter : method) {
    const bool is_letter = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
    if (is_letter || (letter >= '0' && letter <= '9') || plain.find(letter) != plain.npos) {
      path.push_back(letter);
      continue;
    }
    const auto byte = static_cast<unsigned char>(letter);
    path.append({'%', digits[byte >> 4], digits[byte & 15]});
  }
  return path;
}

bool has_message(const MessageType* type) { return type != nullptr && type->kind != MessageKind::none; }

/// Returns true for bytes, which are sent as they are.
bool is_raw(const MessageType& type) noexcept { return type.kind == MessageKind::bytes && type.to_value == nullptr; }

Value content_of(const MessageType& type, std::string_view media_type, JsonSchemas& schemas) {
  if (is_raw(type)) return Value::object({{"application/octet-stream", Value::object()}});
  return Value::object({{std::string(media_type), Value::object({{"schema", schemas.of(type)}})}});
}

Value responses_of(const MethodInfo& info, JsonSchemas& schemas) {
  const bool is_stream = info.kind == MethodKind::server_stream;
  Value ok = Value::object();
  if (is_stream) {
    // OpenAPI 3.1 has no word for a stream: the schema is that of one line.
    ok["description"] = "A stream: one line of JSON for each response.";
  } else {
    ok["description"] = has_message(info.response) ? "The response." : "The call has succeeded.";
  }
  if (has_message(info.response)) {
    ok["content"] = content_of(*info.response, is_stream ? "application/x-ndjson" : "application/json", schemas);
  }
  const Value error = Value::object({{"schema", JsonSchemas::reference(error_name)}});
  return Value::object({{"200", std::move(ok)},
                        {"default", Value::object({{"description", "The call has failed."},
                                                   {"content", Value::object({{"application/json", error}})}})}});
}

Value parameter(std::string_view name, Value schema) {
  return Value::object({{"name", name}, {"in", "query"}, {"required", true}, {"schema", std::move(schema)}});
}

/// Returns the parameters in the query of a GET.
Value parameters_of(const MessageType& request, JsonSchemas& schemas) {
  if (is_raw(request)) {
    const auto constant = [](std::string_view value) { return Value::object({{"type", "string"}, {"const", value}}); };
    return Value::array({parameter("message", Value::object({{"type", "string"}, {"contentEncoding", "base64url"}})),
                         parameter("base64", constant("1")), parameter("encoding", constant("octet-stream"))});
  }
  return Value::array({Value::object({{"name", "message"},
                                      {"in", "query"},
                                      {"required", true},
                                      {"content", content_of(request, "application/json", schemas)}})});
}

Value operation_of(const MethodInfo& info, bool is_get, JsonSchemas& schemas) {
  Value operation = Value::object({{"operationId", info.name + (is_get ? ":get" : "")}});
  if (const std::string_view service = split_path(info.name).service; !service.empty()) {
    operation["tags"] = Value::array({service});
  }
  if (!info.description.empty()) {
    const std::size_t end = std::min(info.description.find('\n'), info.description.size());
    operation["summary"] = info.description.substr(0, end);
    if (end + 1 < info.description.size()) operation["description"] = info.description.substr(end + 1);
  }
  if (has_message(info.request)) {
    if (is_get) {
      operation["parameters"] = parameters_of(*info.request, schemas);
    } else {
      operation["requestBody"] =
          Value::object({{"required", true}, {"content", content_of(*info.request, "application/json", schemas)}});
    }
  }
  operation["responses"] = responses_of(info, schemas);
  return operation;
}

/// The document of a server, which is written again once its methods have changed.
class Document {
 public:
  Document(Server& server, OpenApiOptions options) : server_(server), options_(std::move(options)) {}

  Result<Slice> text() {
    const std::lock_guard lock(mutex_);
    const std::uint64_t version = server_.methods_version();
    if (version != version_) {
      const Value document = openapi_document(server_.methods(), options_);
      BufferWriter out;
      const Status status = codec::JsonCodec(CodecLimits()).encode(MessageView::of(document), out);
      if (!status.is_ok()) return status;
      text_ = out.take();
      version_ = version;
    }
    return text_;
  }

 private:
  Server& server_;
  const OpenApiOptions options_;
  /// Guards the members below.
  std::mutex mutex_;
  Slice text_;
  /// The value of Server::methods_version() for text_.
  std::uint64_t version_ = 0;
};

}  // namespace

Value openapi_document(const std::vector<MethodInfo>& methods, const OpenApiOptions& options) {
  JsonSchemas schemas;
  schemas.set(error_name, error_schema());
  Value paths = Value::object();
  for (const MethodInfo& info : methods) {
    if (info.is_private || (info.kind != MethodKind::unary && info.kind != MethodKind::server_stream)) continue;
    Value item = Value::object({{"post", operation_of(info, false, schemas)}});
    if (info.no_side_effects) item["get"] = operation_of(info, true, schemas);
    paths[path_of(info.name)] = std::move(item);
  }
  Value about = Value::object({{"title", options.title}, {"version", options.version}});
  if (!options.description.empty()) about["description"] = options.description;
  return Value::object({{"openapi", "3.1.0"},
                        {"info", std::move(about)},
                        {"paths", std::move(paths)},
                        {"components", Value::object({{"schemas", schemas.components()}})}});
}

}  // namespace service

void add_openapi(Server& server, OpenApiOptions options) {
  const std::string path = options.path;
  const auto document = std::make_shared<service::Document>(server, std::move(options));
  server.route("GET", path, [document](const HttpRequest&) {
    Result<Slice> text = document->text();
    if (!text) return HttpResponse::text("openapi: " + std::string(text.status().message()) + "\n", 500);
    return HttpResponse{.status = 200, .content_type = "application/json", .body = *std::move(text)};
  });
}

}  // namespace trunkline
