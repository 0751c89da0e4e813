// SPDX-License-Identifier: MIT
// CallCommand: finds the definition of the method, makes the call and reports its status.
#include "cli/commands/call_command.h"

#include "cli/calls/call_run.h"
#include "cli/output/standard_streams.h"
#include "cli/output/status_text.h"
#include "cli/output/terminal.h"
#include "cli/process/failure.h"
#include "cli/schema/encoding_names.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

namespace trunkline::cli::commands {

namespace {

constexpr std::chrono::milliseconds poll_interval{10};
constexpr std::chrono::seconds longest_wait{5};

/// Waits for all servers: a key belongs to one of the connected ones, and without this only the first one would be.
void connect_to_all(Channel& channel) {
  const auto is_known = [](const ServerState& server) { return server.is_ready || !server.last_error.is_ok(); };
  // The loop has to run while nothing is called.
  channel.executor();
  const auto end = std::chrono::steady_clock::now() + longest_wait;
  while (std::chrono::steady_clock::now() < end) {
    const Status ready = channel.wait_for_ready(poll_interval);
    const std::vector<ServerState> servers = channel.servers();
    if (servers.empty() ? channel.state() == ChannelState::failing : std::ranges::all_of(servers, is_known)) return;
    if (ready.is_ok()) std::this_thread::sleep_for(poll_interval);
  }
}

}  // namespace

void CallCommand::declare(CLI::App& app) {
  connection_.declare(app);
  app.add_option("method", method_, "SERVICE/METHOD, SERVICE.METHOD, or the name of the method on the wire")
      ->type_name("")
      ->required();
  input_.declare(app, {.dash = "-: read requests from standard input and send them as they arrive",
                       .json = "Requests as JSON values, one after the other"});
  app.add_option("--data-binary", bytes_, "One request that is not JSON: its bytes, or @FILE, or @- for standard input")
      ->type_name("TEXT|@FILE")
      ->excludes("--json")
      ->excludes("--file");
  app.add_option("-o,--output-binary", output_, "Write the bytes of the responses to a file; -: standard output")
      ->type_name("FILE")
      ->check(CLI::Validator(arguments::refuse_empty, ""));
  call_.declare(app);
  app.add_option("--codec", codec_, "Codec of the requests; no definitions are needed with json or msgpack")
      ->type_name(schema::codec_choices())
      ->check(CLI::IsMember(schema::codec_names()).description(""));
  app.add_option("--compressor", compressor_, "Compress requests")->type_name(schema::compressor_choices());
  app.add_option("--routing-key", routing_key_, "With --balancing consistent_hash: the key whose server is called")
      ->type_name("KEY");
  app.add_flag("--idempotent", is_idempotent_, "The call may run twice: retry it if the connection is lost");
  app.add_flag("-v,--verbose", is_verbose_, "Print metadata, sizes, times and the status on standard error");
  auto* const pretty =
      app.add_flag("--pretty", is_pretty_, "Indent responses (the default for a single response on a terminal)");
  app.add_flag("--compact", is_compact_, "Print each response on one line")->excludes(pretty);
  app.add_flag("--emit-defaults", shows_defaults_, "Print fields with default values too");
  schema_.declare(app);
}

int CallCommand::run() {
  input_.check("; requests are given with --json, --file, --data-binary or -", !bytes_, "--file or --data-binary");
  if (codec_ == "bytes" && !bytes_) throw process::usage_error("--codec bytes requires --data-binary");
  CallOptions options = call_.options();
  options.compressor = compressor_;
  options.routing_key = routing_key_;
  options.idempotent = is_idempotent_;
  const std::string endpoint = connection_.endpoint();
  const std::unique_ptr<Channel> channel = connection_.connect();
  process::Interruption interruption;
  if (!routing_key_.empty()) connect_to_all(*channel);

  std::optional<schema::Schema> schema;
  schema::SchemaMethod method{.descriptor = nullptr, .path = method_, .codec = codec_};
  const bool needs_schema = (!bytes_ && (codec_.empty() || codec_ == "protobuf")) || schema_.is_given();
  if (needs_schema) method = schema.emplace(schema_.source(*channel, endpoint, options)).find_method(method_);
  if (schema) schema->release();
  const auto* const found = method.descriptor;
  const calls::CallShape shape{.path = method.path,
                               .has_many_requests = found == nullptr || found->client_streaming(),
                               .has_many_responses = found == nullptr || found->server_streaming(),
                               .is_known = found != nullptr};
  calls::RequestInput input = open_input(shape.has_many_requests);
  const schema::CoderOptions coding = coder_options(method);
  const schema::MessageCoder coder(found != nullptr ? found->input_type() : nullptr,
                                   found != nullptr ? found->output_type() : nullptr, coding);
  options.codec = coding.codec;
  calls::ResponseOutput output = output_.empty() ? calls::ResponseOutput(coder) : calls::ResponseOutput(output_);
  calls::CallReport report(is_verbose_);
  const Status status = calls::CallRun(*channel, shape, coder, input, output, report, interruption).run(options);
  if (interruption.exit_status() != 0) return interruption.exit_status();
  if (status) output.finish();
  return finish(status, method);
}

/// Opens the input. Without any, a unary method gets an empty request; a stream of requests comes from standard input.
calls::RequestInput CallCommand::open_input(bool has_many_requests) const {
  if (bytes_) return calls::RequestInput::of_bytes(*bytes_);
  if (input_.json()) return calls::RequestInput::from_text(*input_.json());
  if (!input_.file().empty()) return calls::RequestInput::from_file(input_.file());
  const bool is_described = codec_.empty() || codec_ == "protobuf" || schema_.is_given();
  if (!input_.is_dash() && !(has_many_requests && is_described)) return calls::RequestInput::from_text("{}");
  if (output::is_terminal(STDIN_FILENO) && output::is_terminal(STDERR_FILENO)) {
    output::write_message(output::Style(STDERR_FILENO).faint("requests as JSON; end with Ctrl-D") + "\n");
  }
  return calls::RequestInput::from_file("-");
}

schema::CoderOptions CallCommand::coder_options(const schema::SchemaMethod& method) const {
  const bool has_many_responses = method.descriptor == nullptr || method.descriptor->server_streaming();
  if (bytes_) {
    return {.codec = codec_.empty() ? "bytes" : codec_,
            .sent_as_is = true,
            .layout = layout(has_many_responses),
            .shows_defaults = shows_defaults_};
  }
  return {.codec = schema::codec_for(method, codec_),
          .layout = layout(has_many_responses),
          .shows_defaults = shows_defaults_};
}

json::JsonLayout CallCommand::layout(bool has_many_responses) const {
  if (is_pretty_) return json::JsonLayout::pretty;
  const bool is_for_people = !is_compact_ && !has_many_responses && output::is_terminal(STDOUT_FILENO);
  return is_for_people ? json::JsonLayout::pretty : json::JsonLayout::compact;
}

int CallCommand::finish(const Status& status, const schema::SchemaMethod& method) const {
  if (status.is_ok()) return process::exit_status::ok;
  const auto* const pool = method.descriptor != nullptr ? method.descriptor->file()->pool() : nullptr;
  throw process::Failure(process::exit_status::of(status.code()), output::describe_status(status, pool));
}

}  // namespace trunkline::cli::commands
