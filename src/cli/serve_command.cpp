// SPDX-License-Identifier: MIT
// Chooses an interpreter, sees whether it has the package, and becomes it.
#include "cli/serve_command.h"

#include "cli/failure.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

extern char** environ;

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
/// Ends with 0 if the module is there, without importing it.
constexpr const char* question =
    "import importlib.util as u, sys; sys.exit(0 if u.find_spec('trunkline') and u.find_spec('trunkline.serve') else "
    "3)";

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::vector<char*> pointers_to(std::vector<std::string>& arguments) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// The exit status of the question; -1 if the interpreter could not be started.
int ask(const std::string& python) {
  std::vector<std::string> arguments{python, "-c", question};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int error = posix_spawn(&child, python.c_str(), &actions, nullptr, pointers_to(arguments).data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Beside this program, as in the folder of a virtual environment.
std::string own_folder() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "" : self.parent_path().string();
}

}  // namespace

std::string find_program(const std::string& name, std::string_view path) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : "";
  while (!path.empty()) {
    const std::size_t end = path.find(':');
    const std::string folder(path.substr(0, end));
    std::string program = (folder.empty() ? "." : folder) + "/" + name;
    if (access(program.c_str(), X_OK) == 0 && !std::filesystem::is_directory(program)) return program;
    path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
  }
  return {};
}

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

/// By preference; those that do not exist are left out.
std::vector<std::string> ServeCommand::interpreters() const {
  const std::string path = environment("PATH");
  if (!python_.empty()) {
    const std::string found = find_program(python_, path);
    if (found.empty()) throw misuse("--python " + python_ + ": is no program");
    return {found};
  }
  std::vector<std::string> found;
  const std::string environment_folder = environment("VIRTUAL_ENV");
  const auto add = [&](const std::string& program) {
    if (!program.empty()) found.push_back(program);
  };
  if (!environment_folder.empty()) add(find_program(environment_folder + "/bin/python3", ""));
  if (const std::string folder = own_folder(); !folder.empty()) add(find_program(folder + "/python3", ""));
  add(find_program("python3", path));
  if (found.empty()) throw Failure(exit_status::failed, "serve: found no python3; name one with --python");
  return found;
}

/// The first that has the module.
std::string ServeCommand::choose() const {
  const std::vector<std::string> candidates = interpreters();
  std::string tried;
  for (const std::string& python : candidates) {
    const int answer = ask(python);
    if (answer == 0) return python;
    tried += (tried.empty() ? "" : "; ") + python;
    tried += answer < 0 ? " cannot be run" : std::string(" has no module ") + module_name;
  }
  throw Failure(exit_status::failed, "serve: " + tried + "; install the package with " + candidates.front() +
                                         " -m pip install trunkline, or name another interpreter with --python");
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
  const std::string python = choose();
  std::vector<std::string> arguments{python, "-m", module_name};
  for (std::string& argument : handed_on()) arguments.push_back(std::move(argument));
  // It is ignored in here, and what is executed would inherit that.
  std::signal(SIGPIPE, SIG_DFL);
  execv(python.c_str(), pointers_to(arguments).data());
  throw Failure(exit_status::failed, "serve: run " + python + ": " + std::strerror(errno));
}

}  // namespace trunkline::cli
