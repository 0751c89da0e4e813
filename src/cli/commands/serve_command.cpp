// SPDX-License-Identifier: MIT
// ServeCommand: replaces this process with the Python interpreter that has the package.
#include "cli/commands/serve_command.h"

#include "cli/process/child_process.h"
#include "cli/process/failure.h"
#include "cli/process/python_interpreter.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>

namespace trunkline::cli::commands {
namespace {

constexpr const char* module_name = "trunkline.serve";
/// The options of the Python program, for help and completion; Python checks the values.
struct PassedOption {
  const char* name;
  const char* type;  ///< The kind of value; empty: a flag.
  const char* summary;
};
constexpr std::array handed_options{
    PassedOption{"--endpoint", "URI", "Where to listen; repeatable; default: tcp://127.0.0.1:8888"},
    PassedOption{"--announce", "URI",
                 "Where to announce the server, such as etcd://e1:2379/services/orders; repeatable"},
    PassedOption{"--advertise", "URI", "Where clients reach the announced server; repeatable; default: the endpoints"},
    PassedOption{"--workers", "N", "Processes that share the port; default: 1"},
    PassedOption{"--threads", "N", "Worker threads of each process; default: those of the server"},
    PassedOption{"--reload", "", "Restart when files of imported modules change"},
    PassedOption{"--grace", "SECONDS", "Time for calls in progress to finish at the end; default: 5"},
    PassedOption{"--health", "", "Serve the health service too"},
    PassedOption{"--no-health", "", "Do not serve the health service"},
    PassedOption{"--reflection", "", "Serve the reflection service too"},
    PassedOption{"--no-reflection", "", "Do not serve the reflection service"},
    PassedOption{"--statistics", "", "Serve the statistics service too"},
    PassedOption{"--no-statistics", "", "Do not serve the statistics service"},
    PassedOption{"--console", "", "Serve the console, a page for browsers, at /console"},
    PassedOption{"--console-token", "TOKEN", "What others need to open the console; default: $TRUNKLINE_CONSOLE_TOKEN"},
    PassedOption{"--console-endpoint", "URI", "Serve the console there and nowhere else, such as tcp://127.0.0.1:9000"},
    PassedOption{"--log-level", "debug|info|warning|error|critical",
                 "Level of the log on standard error; default: info"},
    PassedOption{"--app-dir", "DIR", "Where modules are looked up first; default: the current directory"},
};
}  // namespace

void ServeCommand::declare(CLI::App& app) {
  app_ = &app;
  python_option_ =
      app.add_option("--python", python_,
                     "Python interpreter; default: that of $VIRTUAL_ENV, the one beside this program, or python3")
          ->type_name("FILE");
  for (const PassedOption& each : handed_options) {
    const bool is_flag = std::string_view(each.type).empty();
    CLI::Option* const option = is_flag ? app.add_flag(each.name) : app.add_option(each.name);
    option->description(each.summary)->group("Passed on to Python");
    // Python decides which options may be repeated.
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    if (!is_flag) option->type_name(each.type)->type_size(1)->expected(1, CLI::detail::expected_max_vector_size);
    if (!is_flag) option->allow_extra_args(false);
  }
  app.allow_extras();
}

std::vector<std::string> ServeCommand::passed_on() const {
  std::vector<std::string> arguments;
  std::map<const CLI::Option*, std::size_t> passed;
  // The order is kept, since the last one of --health and --no-health wins.
  for (const CLI::Option* const option : app_->parse_order()) {
    if (option == python_option_) continue;
    const bool is_flag = option->get_items_expected_max() == 0;
    const std::string& value = option->results().at(passed[option]++);
    arguments.push_back(option->get_name() + (is_flag && value == "true" ? "" : "=" + value));
  }
  for (const std::string& argument : app_->remaining()) arguments.push_back(argument);
  return arguments;
}

int ServeCommand::run() {
  const std::string python = process::find_python(python_, module_name, "serve");
  std::vector<std::string> arguments{python, "-m", module_name};
  for (std::string& argument : passed_on()) arguments.push_back(std::move(argument));
  // SIGPIPE is ignored in this process, and the executed program would inherit that.
  std::signal(SIGPIPE, SIG_DFL);
  execv(python.c_str(), process::pointers_to(arguments).data());
  throw process::Failure(process::exit_status::failed, "serve: run " + python + ": " + std::strerror(errno));
}

}  // namespace trunkline::cli::commands
