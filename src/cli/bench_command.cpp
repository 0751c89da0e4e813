// SPDX-License-Identifier: MIT
// From arguments to a plan, a run and a report.
#include "cli/bench_command.h"

#include "cli/bench_panel.h"
#include "cli/bench_presets.h"
#include "cli/child_server.h"
#include "cli/failure.h"
#include "cli/interruption.h"
#include "cli/output.h"
#include "cli/terminal.h"

#include "load/echo_server.h"
#include "load/load_run.h"

#include <optional>

namespace trunkline::cli {
namespace {

constexpr const char* own_endpoint = "tcp://127.0.0.1:0";

}  // namespace

void BenchCommand::declare(CLI::App& app) {
  app_ = &app;
  connection_.declare(app);
  // Its other forms have none.
  app.get_option("endpoint")->required(false);
  request_.declare(app);
  app.add_flag("--self", serves_itself_,
               "Call an echo server started for it on this machine, at ENDPOINT or a free TCP port");
  call_.declare(app);
  load_.declare(app);
  output_.declare(app);
  serve_.declare(*app.add_subcommand("serve", "Serve the built-in echo service"));
  compare_.declare(*app.add_subcommand("compare", "Compare saved runs with the first of them"));
  plot_.declare(*app.add_subcommand("plot", "Draw saved runs"));
}

int BenchCommand::run() {
  if (app_->got_subcommand("serve")) return serve_.run();
  if (app_->got_subcommand("compare")) return compare_.run();
  if (app_->got_subcommand("plot")) return plot_.run();
  if (load_.lists_presets()) {
    write_output(list_presets());
    return exit_status::ok;
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
  // Before the server is asked, where it need not be.
  if (!has_method || load_.has_kind()) load_.check(plan, has_method);
  const char* const payload_option = load_.has_bytes() ? "--bytes" : load_.has_content() ? "--content" : nullptr;
  request_.apply(connection_, options, load_.has_kind(), load_.payload(), payload_option, plan);
  load_.check(plan, has_method);
  return plan;
}

int BenchCommand::measure() {
  if (!serves_itself_ && !connection_.has_endpoint()) {
    throw misuse("where to? Give an ENDPOINT, or --self for a server of its own");
  }
  if (serves_itself_ && request_.has_method()) throw misuse("--self serves the built-in echo service: no METHOD");
  output_.check();
  Interruption interruption;
  std::optional<ChildServer> child;
  if (serves_itself_) {
    // What is wrong with the rest is said before anything is started.
    (void)plan("tcp://127.0.0.1:1");
    child.emplace(connection_.has_endpoint() ? connection_.typed_endpoint() : own_endpoint, load_.polls());
  }
  const load::LoadPlan made = plan(child ? child->endpoint() : connection_.endpoint());
  load::LoadRun run(made);
  const Stopping stopping(interruption, [&] { run.stop(); });
  const Result<load::LoadReport> report = [&] {
    BenchPanel panel(output_.wants_progress());
    return run.run([&](const load::Progress& progress) { panel.show(progress); });
  }();
  if (!report && interruption.exit_status() != 0) return interruption.exit_status();
  if (!report) throw Failure(report.status());
  output_.write(*report);
  if (interruption.exit_status() != 0) return interruption.exit_status();
  const bool has_echo = report->errors.empty() || report->errors.front().code != StatusCode::unimplemented;
  if (!request_.has_method() && !has_echo) {
    write_message("trunkline: the server has no echo service: name a METHOD, or serve it by `trunkline bench serve`\n");
  }
  return exit_status_of(*report);
}

int BenchCommand::exit_status_of(const load::LoadReport& report) const {
  for (const load::ErrorCount& each : report.errors) {
    if (each.code == StatusCode::data_loss) return exit_status::of(each.code);
  }
  const bool is_well = report.end != load::RunEnd::gave_up && (report.calls > 0 || report.messages > 0);
  if (is_well) return exit_status::ok;
  if (report.errors.empty()) return exit_status::of(StatusCode::deadline_exceeded);
  return exit_status::of(report.errors.front().code);
}

}  // namespace trunkline::cli
