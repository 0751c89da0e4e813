// SPDX-License-Identifier: MIT
// Chooses an interpreter and checks that it has the package.
#include "cli/process/python_interpreter.h"

#include "cli/process/child_process.h"
#include "cli/process/exit_status.h"
#include "cli/process/failure.h"
#include "cli/process/file_handle.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

namespace trunkline::cli::process {
namespace {

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// Returns the folder of this program, which may be that of a virtual environment.
std::string own_folder() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "" : self.parent_path().string();
}

int spawn_and_wait(const std::vector<std::string>& arguments, const ChildFiles& files) {
  pid_t child = 0;
  if (spawn(arguments.front(), arguments, files, ChildGroup::ours, child) != 0) return -1;
  return wait_for_child(child);
}

/// Checks for the module without importing it: the exit status is 0 if it exists.
int ask(const std::string& python, const std::string& module_name) {
  const std::string question =
      "import importlib.util as u, sys; sys.exit(0 if u.find_spec('trunkline') and u.find_spec('" + module_name +
      "') else 3)";
  ChildFiles files;
  files.set_unheard(STDERR_FILENO);
  return spawn_and_wait({python, "-c", question}, files);
}

/// Returns the interpreters to try, in order of preference; only existing ones.
std::vector<std::string> interpreters(const std::string& requested, const std::string& command) {
  const std::string path = environment("PATH");
  if (!requested.empty()) {
    const std::string found = find_program(requested, path);
    if (found.empty()) throw usage_error("--python " + requested + ": not a program");
    return {found};
  }
  std::vector<std::string> found;
  const auto add = [&](const std::string& program) {
    if (!program.empty()) found.push_back(program);
  };
  const std::string environment_folder = environment("VIRTUAL_ENV");
  if (!environment_folder.empty()) add(find_program(environment_folder + "/bin/python3", ""));
  if (const std::string folder = own_folder(); !folder.empty()) add(find_program(folder + "/python3", ""));
  add(find_program("python3", path));
  if (found.empty())
    throw Failure(exit_status::failed, command + ": no python3 found; choose an interpreter with --python");
  return found;
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

std::string find_python(const std::string& requested, const std::string& module_name, const std::string& command) {
  const std::vector<std::string> candidates = interpreters(requested, command);
  std::string tried;
  for (const std::string& python : candidates) {
    const int exit_code = ask(python, module_name);
    if (exit_code == 0) return python;
    tried += (tried.empty() ? "" : "; ") + python;
    tried += exit_code < 0 ? " cannot be run" : " has no module " + module_name;
  }
  throw Failure(exit_status::failed, command + ": " + tried + "; install the package with " + candidates.front() +
                                         " -m pip install trunkline, or choose another interpreter with --python");
}

int run_python(const std::string& python, std::vector<std::string> arguments, std::string_view input) {
  const FileHandle file(memfd_create("input", MFD_CLOEXEC));
  if (file.get() < 0) return -1;
  while (!input.empty()) {
    const ssize_t written = write(file.get(), input.data(), input.size());
    if (written < 0 && errno != EINTR) return -1;
    if (written > 0) input.remove_prefix(static_cast<std::size_t>(written));
  }
  lseek(file.get(), 0, SEEK_SET);
  arguments.insert(arguments.begin(), python);
  ChildFiles files;
  files.set(STDIN_FILENO, file.get());
  return spawn_and_wait(arguments, files);
}

}  // namespace trunkline::cli::process
