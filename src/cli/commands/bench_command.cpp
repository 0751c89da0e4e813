// SPDX-License-Identifier: MIT
// BenchCommand: turns the arguments into a plan, runs it and reports.
#include "cli/commands/bench_command.h"

#include "cli/bench/bench_panel.h"
#include "cli/bench/bench_presets.h"
#include "cli/bench/child_server.h"
#include "cli/output/standard_streams.h"
#include "cli/output/terminal.h"
#include "cli/process/failure.h"
#include "cli/process/interruption.h"

#include "load/echo_server.h"
#include "load/load_run.h"

#include <optional>

namespace trunkline::cli::commands {
namespace {

constexpr const char* own_endpoint = "tcp://127.0.0.1:0";

}  // namespace

void BenchCommand::declare(CLI::App& app) {
  app_ = &app;
  connection_.declare(app);
  // The subcommands have no endpoint.
  app.get_option("endpoint")->required(false);
  request_.declare(app);
  app.add_flag("--self", serves_itself_,
               "Start an echo server on this machine and call it, at ENDPOINT or a free TCP port");
  call_.declare(app);
  load_.declare(app);
  output_.declare(app);
  serve_.declare(*app.add_subcommand("serve", "Serve the built-in echo service"));
  compare_.declare(*app.add_subcommand("compare", "Compare saved runs with the first one"));
  plot_.declare(*app.add_subcommand("plot", "Draw saved runs"));
}

int BenchCommand::run() {
  if (app_->got_subcommand("serve")) return serve_.run();
  if (app_->got_subcommand("compare")) return compare_.run();
  if (app_->got_subcommand("plot")) return plot_.run();
  if (load_.lists_presets()) {
    output::write_output(bench::list_presets());
    return process::exit_status::ok;
  }
  return measure();
}

load::LoadPlan BenchCommand::plan(const std::string& endpoint) const {
  const CallOptions options = call_.options();
  load::LoadPlan plan;
  plan.endpoint = endpoint;
  plan.channel = connection_.options(endpoint);
  plan.metadata = options.metadata;
  plan.timeout = options.timeout;
  plan.waits_for_ready = options.wait_for_ready;
  load_.apply(plan);
  const bool has_method = request_.has_method();
  // The combination is checked before the server is asked, if that is possible.
  if (!has_method || load_.has_kind()) load_.check(plan, has_method);
  const char* const payload_option = load_.has_bytes() ? "--bytes" : load_.has_content() ? "--content" : nullptr;
  request_.apply(connection_, options, load_.has_kind(), load_.payload(), payload_option, plan);
  load_.check(plan, has_method);
  return plan;
}

int BenchCommand::measure() {
  if (!serves_itself_ && !connection_.has_endpoint()) {
    throw process::usage_error("no endpoint: give an ENDPOINT, or --self to start a server");
  }
  if (serves_itself_ && request_.has_method())
    throw process::usage_error("--self serves only the built-in echo service: a METHOD cannot be given");
  output_.check();
  process::Interruption interruption;
  std::optional<bench::ChildServer> child;
  if (serves_itself_) {
    // Errors in the other arguments are reported before anything is started.
    (void)plan("tcp://127.0.0.1:1");
    child.emplace(connection_.has_endpoint() ? connection_.typed_endpoint() : own_endpoint, load_.polls());
  }
  const load::LoadPlan made = plan(child ? child->endpoint() : connection_.endpoint());
  load::LoadRun run(made);
  const process::StopScope stop_scope(interruption, [&] { run.stop(); });
  const Result<load::LoadReport> report = [&] {
    bench::BenchPanel panel(output_.wants_progress());
    return run.run([&](const load::Progress& progress) { panel.show(progress); });
  }();
  if (!report && interruption.exit_status() != 0) return interruption.exit_status();
  if (!report) throw process::Failure(report.status());
  output_.write(*report);
  if (interruption.exit_status() != 0) return interruption.exit_status();
  const bool has_echo = report->errors.empty() || report->errors.front().code != StatusCode::unimplemented;
  if (!request_.has_method() && !has_echo) {
    output::write_message(
        "trunkline: the server has no echo service: give a METHOD, or start the service with `trunkline bench "
        "serve`\n");
  }
  return exit_status_of(*report);
}

int BenchCommand::exit_status_of(const load::LoadReport& report) const {
  for (const load::ErrorCount& each : report.errors) {
    if (each.code == StatusCode::data_loss) return process::exit_status::of(each.code);
  }
  const bool is_well = report.end != load::RunEnd::gave_up && (report.calls > 0 || report.messages > 0);
  if (is_well) return process::exit_status::ok;
  if (report.errors.empty()) return process::exit_status::of(StatusCode::deadline_exceeded);
  return process::exit_status::of(report.errors.front().code);
}

}  // namespace trunkline::cli::commands
