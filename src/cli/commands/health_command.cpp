// SPDX-License-Identifier: MIT
// HealthCommand: calls Check and Watch of grpc.health.v1.Health.
#include "cli/commands/health_command.h"

#include "cli/output/standard_streams.h"
#include "cli/output/terminal.h"
#include "cli/process/failure.h"
#include "cli/process/interruption.h"
#include "cli/schema/packed_message.h"

namespace trunkline::cli::commands {
namespace {

constexpr std::string_view check_method = "grpc.health.v1.Health/Check";
constexpr std::string_view watch_method = "grpc.health.v1.Health/Watch";

}  // namespace

void HealthCommand::declare(CLI::App& app) {
  connection_.declare(app);
  app.add_option("service", service_, "Full name of a service; default: the server as a whole")->type_name("");
  app.add_flag("-w,--watch", watches_, "Print the status now and after each change, until Ctrl-C");
  call_.declare(app);
}

int HealthCommand::run() {
  const CallOptions options = call_.options();
  const std::unique_ptr<Channel> channel = connection_.connect();
  request_.set_service(service_);
  return watches_ ? watch(*channel, options) : check(*channel, options);
}

int HealthCommand::check(Channel& channel, const CallOptions& options) const {
  schema::PackedMessage response;
  if (const Status status = channel.call(channel.method(check_method), schema::pack(request_), response, options);
      !status)
    fail(status);
  return show(response);
}

int HealthCommand::watch(Channel& channel, const CallOptions& options) const {
  process::Interruption interruption;
  auto stream =
      channel.server_stream<schema::PackedMessage>(channel.method(watch_method), schema::pack(request_), options);
  const process::StopScope stop_scope(interruption, [&] { stream.cancel(); });
  int last = process::exit_status::failed;
  while (true) {
    Result<std::optional<schema::PackedMessage>> response = stream.read();
    if (interruption.exit_status() != 0) return interruption.exit_status();
    if (!response) fail(response.status());
    if (!response->has_value()) return last;
    last = show(**response);
  }
}

int HealthCommand::show(const schema::PackedMessage& payload) {
  v1::HealthCheckResponse response;
  if (const Status status = schema::unpack(payload, response); !status)
    throw process::Failure(process::exit_status::failed, status.to_string());
  const std::string& name = v1::HealthCheckResponse::ServingStatus_Name(response.status());
  output::write_output((name.empty() ? std::to_string(response.status()) : name) + "\n");
  return response.status() == v1::HealthCheckResponse::SERVING ? process::exit_status::ok
                                                               : process::exit_status::failed;
}

void HealthCommand::fail(const Status& status) const {
  std::string text = output::escaped(status.to_string());
  const bool is_unknown = status.code() == StatusCode::not_found && !service_.empty();
  if (is_unknown) text = "service '" + output::escaped(service_) + "' has no health status: " + text;
  if (status.code() == StatusCode::unimplemented) text = "the server has no health service: " + text;
  throw process::Failure(process::exit_status::failed, text);
}

}  // namespace trunkline::cli::commands
