// SPDX-License-Identifier: MIT
// Finds the method's description, makes the call, tells its status.
#include "cli/call_command.h"

#include "cli/call_run.h"
#include "cli/failure.h"
#include "cli/output.h"
#include "cli/status_text.h"
#include "cli/terminal.h"

#include <unistd.h>

namespace trunkline::cli {
void CallCommand::declare(CLI::App& app) {
  connection_.declare(app);
  app.add_option("method", method_, "SERVICE/METHOD, SERVICE.METHOD, or the method's name on the wire")
      ->type_name("")
      ->required();
  input_.declare(app, {.dash = "-: requests from standard input, sent as they come",
                       .json = "Requests, as JSON values one after the other"});
  app.add_option("--data-binary", bytes_, "One request as it is, not JSON: a text, or @FILE, or @- for standard input")
      ->type_name("TEXT|@FILE")
      ->excludes("--json")
      ->excludes("--file");
  app.add_option("-o,--output-binary", output_,
                 "Write responses to a file as the bytes they came in; -: standard output")
      ->type_name("FILE")
      ->check(CLI::Validator(refuse_nothing, ""));
  call_.declare(app);
  app.add_option("--codec", codec_, "How requests are sent; with json or msgpack no definitions are needed")
      ->type_name("protobuf|json|msgpack|bytes")
      ->check(CLI::IsMember({"protobuf", "json", "msgpack", "bytes"}).description(""));
  app.add_option("--compressor", compressor_, "Compress requests")->type_name("identity|snappy|zstd|lz4|gzip");
  app.add_flag("--idempotent", is_idempotent_, "The call may run twice: repeat it if the connection is lost");
  app.add_flag("-v,--verbose", is_verbose_, "Tell metadata, sizes, times and the status on standard error");
  auto* const pretty = app.add_flag("--pretty", is_pretty_, "Indent responses (the default for one on a terminal)");
  app.add_flag("--compact", is_compact_, "Each response on one line")->excludes(pretty);
  app.add_flag("--emit-defaults", shows_defaults_, "Show fields that have default values as well");
  schema_.declare(app);
}

int CallCommand::run() {
  input_.check("; requests are given with --json, --file, --data-binary or -", !bytes_, "--file or --data-binary");
  if (codec_ == "bytes" && !bytes_) throw misuse("--codec bytes is for what --data-binary gives");
  CallOptions options = call_.options();
  options.compressor = compressor_;
  options.idempotent = is_idempotent_;
  const std::string endpoint = connection_.endpoint();
  const std::unique_ptr<Channel> channel = connection_.connect();
  Interruption interruption;

  std::optional<Schema> schema;
  MethodFacts method{.descriptor = nullptr, .path = method_, .codec = codec_};
  const bool needs_schema = (!bytes_ && (codec_.empty() || codec_ == "protobuf")) || schema_.is_given();
  if (needs_schema) method = schema.emplace(schema_.source(*channel, endpoint, options)).find_method(method_);
  if (schema) schema->rest();
  const auto* const found = method.descriptor;
  const CallShape shape{.path = method.path,
                        .has_many_requests = found == nullptr || found->client_streaming(),
                        .has_many_responses = found == nullptr || found->server_streaming()};
  RequestInput input = open_input(shape.has_many_requests);
  const CoderOptions coding = coder_options(method);
  const MessageCoder coder(found != nullptr ? found->input_type() : nullptr,
                           found != nullptr ? found->output_type() : nullptr, coding);
  options.codec = coding.codec;
  ResponseOutput output = output_.empty() ? ResponseOutput(coder) : ResponseOutput(output_);
  CallReport report(is_verbose_);
  const Status status = CallRun(*channel, shape, coder, input, output, report, interruption).run(options);
  if (interruption.exit_status() != 0) return interruption.exit_status();
  if (status) output.finish();
  return finish(status, method);
}

/// Without any input an empty request is sent, and many requests are expected on standard input.
RequestInput CallCommand::open_input(bool has_many_requests) const {
  if (bytes_) return RequestInput::of_bytes(*bytes_);
  if (input_.json()) return RequestInput::from_text(*input_.json());
  if (!input_.file().empty()) return RequestInput::from_file(input_.file());
  const bool is_described = codec_.empty() || codec_ == "protobuf" || schema_.is_given();
  if (!input_.is_dash() && !(has_many_requests && is_described)) return RequestInput::from_text("{}");
  if (is_terminal(STDIN_FILENO) && is_terminal(STDERR_FILENO)) {
    write_message(Style(STDERR_FILENO).faint("requests as JSON; end with Ctrl-D") + "\n");
  }
  return RequestInput::from_file("-");
}

CoderOptions CallCommand::coder_options(const MethodFacts& method) const {
  const bool has_many_responses = method.descriptor == nullptr || method.descriptor->server_streaming();
  if (bytes_) {
    return {.codec = codec_.empty() ? "bytes" : codec_,
            .sent_as_is = true,
            .layout = layout(has_many_responses),
            .shows_defaults = shows_defaults_};
  }
  return {.codec = codec_for(method, codec_), .layout = layout(has_many_responses), .shows_defaults = shows_defaults_};
}

JsonLayout CallCommand::layout(bool has_many_responses) const {
  if (is_pretty_) return JsonLayout::pretty;
  const bool is_for_people = !is_compact_ && !has_many_responses && is_terminal(STDOUT_FILENO);
  return is_for_people ? JsonLayout::pretty : JsonLayout::compact;
}

int CallCommand::finish(const Status& status, const MethodFacts& method) const {
  if (status.is_ok()) return exit_status::ok;
  const auto* const pool = method.descriptor != nullptr ? method.descriptor->file()->pool() : nullptr;
  throw Failure(exit_status::of(status.code()), describe_status(status, pool));
}

}  // namespace trunkline::cli
