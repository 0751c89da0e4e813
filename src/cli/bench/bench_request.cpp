// SPDX-License-Identifier: MIT
// BenchRequest: encodes JSON as `trunkline call` does.
#include "cli/bench/bench_request.h"

#include "cli/calls/request_input.h"
#include "cli/process/failure.h"
#include "cli/schema/encoding_names.h"
#include "cli/schema/message_coder.h"

#include "load/echo_server.h"

namespace trunkline::cli::bench {
namespace {

load::CallKind kind_of(const google::protobuf::MethodDescriptor* method) {
  if (method == nullptr) return load::CallKind::unary;
  if (method->client_streaming()) {
    return method->server_streaming() ? load::CallKind::bidirectional : load::CallKind::client_stream;
  }
  return method->server_streaming() ? load::CallKind::server_stream : load::CallKind::unary;
}

std::string_view echo_method_of(load::CallKind kind) {
  switch (kind) {
    case load::CallKind::client_stream:
      return load::gather_method;
    case load::CallKind::server_stream:
      return load::scatter_method;
    case load::CallKind::bidirectional:
      return load::talk_method;
    default:
      return load::echo_method;
  }
}

Slice encode(calls::RequestInput input, const schema::MessageCoder& coder) {
  Result<std::optional<json::JsonText>> json = input.next();
  if (!json) throw process::usage_error(std::string(json.status().message()));
  if (!json->has_value()) throw process::usage_error("no request given; an empty one is {}");
  Result<schema::PackedMessage> request = coder.encode(**json);
  if (!request) throw process::usage_error(std::string(request.status().message()));
  const Result<bool> has_more = input.has_more();
  if (has_more.is_ok() && *has_more)
    throw process::usage_error("a load sends one request again and again, but several were given");
  return request->bytes;
}

}  // namespace

void BenchRequest::declare(CLI::App& app) {
  app.add_option("method", method_, "SERVICE/METHOD, as for `trunkline call`; default: the built-in echo service")
      ->type_name("");
  input_.declare(app, {.dash = "-: read the request from standard input", .json = "The request as JSON; default: {}"});
  app.add_option("--codec", codec_,
                 "Codec of the request; no definitions are needed with json, msgpack or bytes (--bytes)")
      ->type_name(schema::codec_choices())
      ->check(CLI::IsMember(schema::codec_names()).description(""));
  schema_.declare(app);
}

void BenchRequest::apply(const arguments::ConnectionArguments& connection, const CallOptions& options, bool has_kind,
                         const Slice& payload, const char* payload_option, load::LoadPlan& plan) const {
  input_.check("", true, "--file");
  const bool has_json = input_.is_given();
  if (!has_method()) {
    if (has_json || !codec_.empty() || schema_.is_given()) {
      throw process::usage_error("--json, --file, -, --codec and definitions require a METHOD");
    }
    return apply_echo(payload, plan);
  }
  if (codec_ == "bytes") {
    if (has_json) throw process::usage_error("--codec bytes sends --bytes, not JSON");
    plan.method = method_;
    plan.request = payload;
    return;
  }
  if (payload_option != nullptr) {
    throw process::usage_error(std::string(payload_option) +
                               " is only for the built-in echo service and --codec bytes; a METHOD has a request");
  }
  apply_method(connection, options, has_kind, plan);
}

void BenchRequest::apply_echo(const Slice& payload, load::LoadPlan& plan) const {
  plan.method = echo_method_of(plan.kind);
  plan.request = payload;
  plan.expects_echo = plan.kind != load::CallKind::one_way;
  if (plan.kind == load::CallKind::server_stream) {
    plan.metadata.set(load::messages_key, std::to_string(plan.messages));
  }
}

void BenchRequest::apply_method(const arguments::ConnectionArguments& connection, const CallOptions& options,
                                bool has_kind, load::LoadPlan& plan) const {
  const std::unique_ptr<Channel> channel = connection.connect();
  std::optional<schema::Schema> schema;
  schema::SchemaMethod method{.descriptor = nullptr, .path = method_, .codec = codec_};
  if (codec_.empty() || codec_ == "protobuf" || schema_.is_given()) {
    method = schema.emplace(schema_.source(*channel, connection.endpoint(), options)).find_method(method_);
  }
  const auto* const found = method.descriptor;
  const load::CallKind kind = kind_of(found);
  if (!has_kind) plan.kind = kind;
  const bool is_one_way = plan.kind == load::CallKind::one_way && kind == load::CallKind::unary;
  if (found != nullptr && plan.kind != kind && !is_one_way) {
    throw process::usage_error("--kind " + std::string(to_string(plan.kind)) + ": " + method.path + " is " +
                               std::string(to_string(kind)));
  }
  plan.codec = schema::codec_for(method, codec_);
  const schema::MessageCoder coder(found != nullptr ? found->input_type() : nullptr,
                                   found != nullptr ? found->output_type() : nullptr,
                                   {.codec = plan.codec, .layout = json::JsonLayout::compact, .shows_defaults = false});
  const std::string file = input_.is_dash() ? "-" : input_.file();
  plan.request = encode(file.empty() ? calls::RequestInput::from_text(input_.json().value_or("{}"))
                                     : calls::RequestInput::from_file(file),
                        coder);
  plan.method = method.path;
}

}  // namespace trunkline::cli::bench
