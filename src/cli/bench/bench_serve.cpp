// SPDX-License-Identifier: MIT
// BenchServe: creates an EchoServer from the arguments.
#include "cli/bench/bench_serve.h"

#include "cli/bench/bench_load_arguments.h"
#include "cli/output/standard_streams.h"
#include "cli/output/terminal.h"
#include "cli/process/failure.h"
#include "cli/process/interruption.h"

#include "load/echo_server.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <future>

namespace trunkline::cli::bench {
namespace {

constexpr std::uint64_t max_threads = 256;
constexpr std::chrono::microseconds poll_time{50};

/// Parses a share such as "90%:2ms". Without a percentage the share is 100%.
load::DelayShare parse_share(const std::string& text) {
  const std::size_t mark = text.find("%:");
  if (mark == std::string::npos) return {1, duration_argument("--delay", text)};
  double percent = 0;
  const auto read = std::from_chars(text.data(), text.data() + mark, percent);
  if (read.ec != std::errc() || read.ptr != text.data() + mark || !(percent > 0) || percent > 100) {
    throw process::usage_error("--delay: '" + output::escaped(output::fit_text(text, 60)) +
                               "' does not begin with a share from 0% to 100%");
  }
  return {percent / 100, duration_argument("--delay", text.substr(mark + 2))};
}

void wait_for_input_to_end() {
  std::array<char, 256> bytes;
  while (true) {
    const ssize_t count = read(STDIN_FILENO, bytes.data(), bytes.size());
    if (count == 0 || (count < 0 && errno != EINTR)) return;
  }
}

}  // namespace

load::DelayDistribution parse_delays(const std::string& text) {
  if (text.empty()) return {};
  std::vector<load::DelayShare> shares;
  double sum = 0;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    shares.push_back(parse_share(text.substr(at, end - at)));
    sum += shares.back().share;
    at = end + 1;
  }
  if (std::abs(sum - 1) > 1e-6) {
    throw process::usage_error("--delay: the shares of '" + output::escaped(output::fit_text(text, 60)) +
                               "' do not add up to 100%");
  }
  return load::DelayDistribution(std::move(shares));
}

void BenchServe::declare(CLI::App& app) {
  app.add_option("endpoint", endpoint_,
                 "tcp://HOST:PORT, tls://HOST:PORT, unix:///PATH or unix:@NAME; port 0: any free port")
      ->type_name("")
      ->required();
  app.add_option("-t,--threads", threads_, "Number of event loops, one thread each")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, max_threads).description(""))
      ->capture_default_str();
  app.add_option("--delay", delay_, "Delay of each Echo response: TIME, or shares such as 90%:2ms,9%:20ms,1%:80ms")
      ->type_name("TIME");
  auto* const stall =
      app.add_option(
             "--stall", stall_,
             "Once, at a unary call of Echo, block the loop that serves the call, and with it all its connections")
          ->type_name("TIME");
  app.add_option("--stall-after", stall_after_, "When to block it, counted from the first such call")
      ->type_name("TIME")
      ->capture_default_str()
      ->needs(stall);
  app.add_option("--cert", tls_.certificate_file, "Certificate chain (PEM), for tls://")->type_name("FILE");
  app.add_option("--key", tls_.private_key_file, "Private key of the certificate (PEM)")->type_name("FILE");
  app.add_flag("--busy-poll", polls_, "Poll for calls for 50us before sleeping; occupies whole cores");
  // The option --self uses this one.
  app.add_flag("--until-input-ends", ends_with_input_)->group("");
}

int BenchServe::run() {
  load::EchoOptions options;
  options.delay = parse_delays(delay_);
  if (!stall_.empty()) options.stall = duration_argument("--stall", stall_);
  options.stall_after = duration_argument("--stall-after", stall_after_);
  options.server.loops = threads_;
  options.server.tls = tls_;
  if (polls_) options.server.loop.busy_poll = poll_time;
  if (endpoint_.find("://") == std::string::npos && !endpoint_.starts_with("unix:")) endpoint_.insert(0, "tcp://");
  process::Interruption interruption;
  load::EchoServer echo(std::move(options));
  const Result<Endpoint> endpoint = echo.server().try_listen(endpoint_);
  if (!endpoint) throw process::Failure(endpoint.status());
  if (const Status started = echo.server().start(); !started.is_ok()) throw process::Failure(started);
  output::write_output("listening on " + endpoint->to_string() + "\n");
  if (ends_with_input_) {
    wait_for_input_to_end();
    return process::exit_status::ok;
  }
  std::promise<void> ended;
  {
    const process::StopScope stop_scope(interruption, [&] { ended.set_value(); });
    ended.get_future().wait();
  }
  return interruption.exit_status();
}

}  // namespace trunkline::cli::bench
