// SPDX-License-Identifier: MIT
// grpc.health.v1.Health, Check and Watch.
#include "cli/health_command.h"

#include "cli/failure.h"
#include "cli/interruption.h"
#include "cli/output.h"
#include "cli/payload.h"
#include "cli/terminal.h"

namespace trunkline::cli {
namespace {

constexpr std::string_view check_method = "grpc.health.v1.Health/Check";
constexpr std::string_view watch_method = "grpc.health.v1.Health/Watch";

}  // namespace

void HealthCommand::declare(CLI::App& app) {
  connection_.declare(app);
  app.add_option("service", service_, "Its full name; without it: the server as a whole")->type_name("");
  app.add_flag("-w,--watch", watches_, "The status now and after each change, until Ctrl-C");
  call_.declare(app);
}

int HealthCommand::run() {
  const CallOptions options = call_.options();
  const std::unique_ptr<Channel> channel = connection_.connect();
  request_.set_service(service_);
  return watches_ ? watch(*channel, options) : check(*channel, options);
}

int HealthCommand::check(Channel& channel, const CallOptions& options) const {
  Payload answer;
  if (const Status status = channel.call(channel.method(check_method), pack(request_), answer, options); !status)
    fail(status);
  return show(answer);
}

int HealthCommand::watch(Channel& channel, const CallOptions& options) const {
  Interruption interruption;
  auto stream = channel.server_stream<Payload>(channel.method(watch_method), pack(request_), options);
  const Stopping stopping(interruption, [&] { stream.cancel(); });
  int last = exit_status::failed;
  while (true) {
    Result<std::optional<Payload>> answer = stream.read();
    if (interruption.exit_status() != 0) return interruption.exit_status();
    if (!answer) fail(answer.status());
    if (!answer->has_value()) return last;
    last = show(**answer);
  }
}

int HealthCommand::show(const Payload& payload) {
  v1::HealthCheckResponse response;
  if (const Status status = unpack(payload, response); !status) throw Failure(exit_status::failed, status.to_string());
  const std::string& name = v1::HealthCheckResponse::ServingStatus_Name(response.status());
  write_output((name.empty() ? std::to_string(response.status()) : name) + "\n");
  return response.status() == v1::HealthCheckResponse::SERVING ? exit_status::ok : exit_status::failed;
}

void HealthCommand::fail(const Status& status) const {
  std::string text = harmless(status.to_string());
  const bool is_unknown = status.code() == StatusCode::not_found && !service_.empty();
  if (is_unknown) text = "service '" + harmless(service_) + "' has no health status: " + text;
  if (status.code() == StatusCode::unimplemented) text = "the server has no health service: " + text;
  throw Failure(exit_status::failed, text);
}

}  // namespace trunkline::cli
