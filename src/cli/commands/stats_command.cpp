// SPDX-License-Identifier: MIT
// StatsCommand: calls Get and Watch of trunkline.v1.Statistics.
#include "cli/commands/stats_command.h"

#include "cli/output/duration_text.h"
#include "cli/output/standard_streams.h"
#include "cli/output/terminal.h"
#include "cli/process/failure.h"
#include "cli/process/interruption.h"

#include <google/protobuf/util/json_util.h>

#include <unistd.h>

namespace trunkline::cli::commands {
namespace {

constexpr std::string_view get_method = "trunkline.v1.Statistics/Get";
constexpr std::string_view watch_method = "trunkline.v1.Statistics/Watch";

constexpr std::string_view enter_screen = "\x1b[?1049h\x1b[?25l";
constexpr std::string_view leave_screen = "\x1b[?25h\x1b[?1049l";

/// A scope that shows the alternate screen of the terminal, without a cursor, for its lifetime.
class AlternateScreen {
 public:
  AlternateScreen(bool is_wanted, process::Interruption& interruption)
      : is_on_(is_wanted), interruption_(interruption) {
    if (!is_on_) return;
    interruption_.on_end([] { output::try_write_output(leave_screen); });
    output::write_output(enter_screen);
  }
  ~AlternateScreen() {
    if (!is_on_) return;
    try {
      output::write_output(leave_screen);
    } catch (const std::exception&) {
      // The terminal is gone, so there is no screen to restore.
    }
    interruption_.on_end(nullptr);
  }
  AlternateScreen(const AlternateScreen&) = delete;
  AlternateScreen& operator=(const AlternateScreen&) = delete;

 private:
  bool is_on_;
  process::Interruption& interruption_;
};

v1::ServerStatistics sample_of(const schema::PackedMessage& payload) {
  v1::ServerStatistics sample;
  if (const Status status = schema::unpack(payload, sample); !status) throw process::Failure(status);
  return sample;
}

std::string json_of(const v1::ServerStatistics& sample) {
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  std::string json;
  const auto status = google::protobuf::util::MessageToJsonString(sample, &json, options);
  if (!status.ok()) throw process::Failure(process::exit_status::failed, "statistics: " + status.message().ToString());
  return json + "\n";
}

std::string joined(const std::vector<std::string>& lines, std::string_view end) {
  std::string text;
  for (const std::string& line : lines) text.append(line).append(end);
  return text;
}

}  // namespace

void StatsCommand::declare(CLI::App& app) {
  connection_.declare(app);
  app.add_option("prefix", prefix_, "Show only methods whose names begin with this")->type_name("");
  auto* const watch = app.add_flag("-w,--watch", watches_, "Show rates repeatedly, until Ctrl-C");
  app.add_option("--interval", interval_, "Time between samples, from 10ms")
      ->type_name("TIME")
      ->capture_default_str()
      ->needs(watch);
  app.add_flag("--json", is_json_, "Print the samples as the server sends them, one per line");
  call_.declare(app);
}

int StatsCommand::run() {
  const CallOptions options = call_.options();
  const Result<std::chrono::nanoseconds> interval = output::parse_duration(interval_);
  if (!interval) throw process::usage_error("--interval: " + std::string(interval.status().message()));
  if (*interval < std::chrono::milliseconds(10))
    throw process::usage_error("--interval: '" + interval_ + "' is less than 10ms");
  request_.set_method_prefix(prefix_);
  request_.set_interval_ns(static_cast<std::uint64_t>(interval->count()));
  request_.set_without_buckets(!watches_ && !is_json_);
  const std::unique_ptr<Channel> channel = connection_.connect();
  return watches_ ? watch(*channel, options) : get(*channel, options);
}

int StatsCommand::get(Channel& channel, const CallOptions& options) {
  schema::PackedMessage response;
  if (const Status status = channel.call(channel.method(get_method), schema::pack(request_), response, options);
      !status)
    fail(status);
  const v1::ServerStatistics sample = sample_of(response);
  const std::size_t width = output::is_terminal(STDOUT_FILENO) ? output::terminal_size().columns : 0;
  output::write_output(is_json_ ? json_of(sample) : joined(StatsView::totals(sample, width), "\n"));
  return process::exit_status::ok;
}

int StatsCommand::watch(Channel& channel, const CallOptions& options) {
  process::Interruption interruption;
  auto stream =
      channel.server_stream<schema::PackedMessage>(channel.method(watch_method), schema::pack(request_), options);
  const process::StopScope stop_scope(interruption, [&] { stream.cancel(); });
  std::optional<AlternateScreen> screen;
  while (true) {
    Result<std::optional<schema::PackedMessage>> response = stream.read();
    if (interruption.exit_status() != 0) return interruption.exit_status();
    if (!response || !response->has_value()) screen.reset();
    if (!response) fail(response.status());
    if (!response->has_value()) return process::exit_status::ok;
    // The screen is entered after the first response, because earlier errors belong on the normal screen.
    if (!screen) screen.emplace(!is_json_ && output::is_terminal(STDOUT_FILENO), interruption);
    show(sample_of(**response));
  }
}

void StatsCommand::show(const v1::ServerStatistics& sample) {
  if (is_json_) return output::write_output(json_of(sample));
  if (!output::is_terminal(STDOUT_FILENO)) return output::write_output(joined(view_.show(sample, 0, 0), "\n") + "\n");
  const output::TerminalSize size = output::terminal_size();
  // The rest of each line and everything below the last one is cleared.
  output::write_output("\x1b[H" + joined(view_.show(sample, size.columns, size.rows - 1), "\x1b[K\n") + "\x1b[J");
}

void StatsCommand::fail(const Status& status) const {
  std::string text = output::escaped(status.to_string());
  if (status.code() == StatusCode::unimplemented) text = "the server has no statistics service: " + text;
  throw process::Failure(process::exit_status::of(status.code()), text);
}

}  // namespace trunkline::cli::commands
