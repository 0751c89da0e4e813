// SPDX-License-Identifier: MIT
// Becomes the interpreter that has the package.
#include "cli/serve_command.h"

#include "cli/child_process.h"
#include "cli/failure.h"
#include "cli/python_interpreter.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>

namespace trunkline::cli {
namespace {

constexpr const char* module_name = "trunkline.serve";
/// What Python's parser takes, for help and completion; values are looked at there.
struct HandedOption {
  const char* name;
  const char* type;  ///< empty: a flag
  const char* summary;
};
constexpr std::array handed_options{
    HandedOption{"--endpoint", "URI", "Where to listen; may be repeated; else tcp://127.0.0.1:8888"},
    HandedOption{"--workers", "N", "Processes that share the port; else 1"},
    HandedOption{"--threads", "N", "Of each process; else those of the server"},
    HandedOption{"--reload", "", "Start anew when files of imported modules change"},
    HandedOption{"--grace", "SECONDS", "For calls under way at the end; else 5"},
    HandedOption{"--health", "", "Serve health as well"},
    HandedOption{"--no-health", "", "Do not"},
    HandedOption{"--reflection", "", "Serve reflection as well"},
    HandedOption{"--no-reflection", "", "Do not"},
    HandedOption{"--statistics", "", "Serve statistics as well"},
    HandedOption{"--no-statistics", "", "Do not"},
    HandedOption{"--log-level", "debug|info|warning|error|critical", "Of what is logged to standard error; else info"},
    HandedOption{"--app-dir", "DIR", "Where modules are found first; else here"},
};
}  // namespace

void ServeCommand::declare(CLI::App& app) {
  app_ = &app;
  python_option_ = app.add_option("--python", python_,
                                  "Interpreter; else that of $VIRTUAL_ENV, the one beside this program, or python3")
                       ->type_name("FILE");
  for (const HandedOption& each : handed_options) {
    const bool is_flag = std::string_view(each.type).empty();
    CLI::Option* const option = is_flag ? app.add_flag(each.name) : app.add_option(each.name);
    option->description(each.summary)->group("Handed on to Python");
    // Python's parser says what may be repeated.
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    if (!is_flag) option->type_name(each.type)->type_size(1)->expected(1, CLI::detail::expected_max_vector_size);
    if (!is_flag) option->allow_extra_args(false);
  }
  app.allow_extras();
}

std::vector<std::string> ServeCommand::handed_on() const {
  std::vector<std::string> arguments;
  std::map<const CLI::Option*, std::size_t> passed;
  // In their order: the last one of --health and --no-health holds.
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
  const std::string python = find_python(python_, module_name, "serve");
  std::vector<std::string> arguments{python, "-m", module_name};
  for (std::string& argument : handed_on()) arguments.push_back(std::move(argument));
  // It is ignored in here, and what is executed would inherit that.
  std::signal(SIGPIPE, SIG_DFL);
  execv(python.c_str(), pointers_to(arguments).data());
  throw Failure(exit_status::failed, "serve: run " + python + ": " + std::strerror(errno));
}

}  // namespace trunkline::cli
