// SPDX-License-Identifier: MIT
// ServersCommand: connects to all servers of a channel, and lists them.
#include "cli/commands/servers_command.h"

#include "cli/output/duration_text.h"
#include "cli/output/standard_streams.h"
#include "cli/output/table.h"
#include "cli/output/terminal.h"
#include "cli/process/failure.h"
#include "cli/process/interruption.h"

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <future>
#include <thread>
#include <utility>

namespace trunkline::cli::commands {
namespace {

/// The interval at which a channel is asked what it knows.
constexpr std::chrono::milliseconds poll_interval{50};

bool is_known(const ServerState& server) { return server.is_ready || !server.last_error.is_ok(); }

std::string_view state_of(const ServerState& server) {
  if (server.is_ready) return "ready";
  return server.last_error.is_ok() ? "connecting" : "failing";
}

/// Returns the reason in the status of a channel that is not ready.
std::string reason_of(const Status& not_ready) {
  constexpr std::string_view before = "the last error: ";
  const std::string_view text = not_ready.message();
  const auto at = text.find(before);
  return std::string(at == std::string_view::npos ? text : text.substr(at + before.size()));
}

std::string number_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", number);
  return text;
}

std::string as_table(const std::vector<ServerState>& servers) {
  output::Table table({"SERVER", "STATE", "PRIORITY", "WEIGHT", "ZONE"});
  std::string errors;
  for (const ServerState& server : servers) {
    const std::string endpoint = output::escaped(server.endpoint.to_string());
    table.add({endpoint, std::string(state_of(server)), std::to_string(server.priority), number_text(server.weight),
               server.zone.empty() ? "-" : output::escaped(server.zone)});
    if (!server.is_ready && !server.last_error.is_ok()) {
      errors += endpoint + ": " + output::escaped(std::string(server.last_error.message())) + "\n";
    }
  }
  std::string text;
  const std::size_t width = output::is_terminal(STDOUT_FILENO) ? output::terminal_size().columns : 0;
  for (const std::string& line : table.lines(width)) text += line + "\n";
  return text + errors;
}

std::string as_json(const std::vector<ServerState>& servers) {
  std::string text;
  for (const ServerState& server : servers) {
    const nlohmann::ordered_json described{{"endpoint", server.endpoint.to_string()},
                                           {"state", state_of(server)},
                                           {"priority", server.priority},
                                           {"weight", server.weight},
                                           {"zone", server.zone},
                                           {"error", std::string(server.last_error.message())}};
    text += described.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }
  return text;
}

}  // namespace

void ServersCommand::declare(CLI::App& app) {
  connection_.declare(app);
  app.add_option("--timeout", timeout_, "How long to wait for the name and for connections, such as 5s")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_flag("-w,--watch", watches_, "Print the servers now and after each change, until Ctrl-C");
  app.add_flag("--json", is_json_, "Print a JSON object for each server, one per line");
}

int ServersCommand::run() {
  const Result<std::chrono::nanoseconds> timeout = output::parse_duration(timeout_);
  if (!timeout) throw process::usage_error("--timeout: " + std::string(timeout.status().message()));
  const std::string uri = connection_.endpoint();
  ChannelOptions options = connection_.options(uri);
  options.idle_timeout = std::chrono::seconds(0);
  Channel channel(uri, std::move(options));
  if (watches_) return watch(channel);

  const auto end = std::chrono::steady_clock::now() + *timeout;
  std::vector<ServerState> servers;
  Status error;
  do {
    error = channel.wait_for_ready(poll_interval);
    servers = channel.servers();
    const bool is_unresolved = servers.empty() && channel.state() == ChannelState::failing;
    if (is_unresolved || (!servers.empty() && std::all_of(servers.begin(), servers.end(), is_known))) break;
    if (error.is_ok()) {
      // One server is connected, the others may still be connecting: the channel's loop has to run.
      channel.executor();
      std::this_thread::sleep_for(poll_interval);
    }
  } while (std::chrono::steady_clock::now() < end);
  if (servers.empty()) {
    throw process::Failure(process::exit_status::of(StatusCode::unavailable), output::escaped(reason_of(error)));
  }
  output::write_output(shown(servers));
  const bool has_ready = std::any_of(servers.begin(), servers.end(), [](const auto& each) { return each.is_ready; });
  return has_ready ? process::exit_status::ok : process::exit_status::failed;
}

int ServersCommand::watch(Channel& channel) const {
  process::Interruption interruption;
  std::promise<void> stopped;
  const process::StopScope stop_scope(interruption, [&] { stopped.set_value(); });
  const std::future<void> is_stopped = stopped.get_future();
  std::string last;
  std::string last_problem;
  channel.executor();
  do {
    const Status error = channel.wait_for_ready(std::chrono::nanoseconds(1));
    const std::vector<ServerState> servers = channel.servers();
    if (servers.empty()) {
      const std::string problem = reason_of(error);
      const bool is_failing = channel.state() == ChannelState::failing;
      if (is_failing && problem != std::exchange(last_problem, problem))
        output::write_message(output::escaped(problem) + "\n");
      continue;
    }
    std::string text = shown(servers);
    if (text == last) continue;
    output::write_output(last.empty() || is_json_ ? text : "\n" + text);
    last = std::move(text);
  } while (is_stopped.wait_for(poll_interval) == std::future_status::timeout);
  return interruption.exit_status();
}

std::string ServersCommand::shown(const std::vector<ServerState>& servers) const {
  return is_json_ ? as_json(servers) : as_table(servers);
}

}  // namespace trunkline::cli::commands
