// SPDX-License-Identifier: MIT
// Starts children, which inherit none of this program's signal handling.
#include "cli/process/child_process.h"

#include "cli/process/exit_status.h"

#include <fcntl.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>

extern char** environ;

namespace trunkline::cli::process {
namespace {

class SpawnAttributes {
 public:
  explicit SpawnAttributes(ChildGroup group) {
    posix_spawnattr_init(&attributes_);
    sigset_t set;
    sigemptyset(&set);
    posix_spawnattr_setsigmask(&attributes_, &set);
    sigaddset(&set, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes_, &set);
    posix_spawnattr_setpgroup(&attributes_, 0);
    const int in_group = group == ChildGroup::own ? POSIX_SPAWN_SETPGROUP : 0;
    posix_spawnattr_setflags(&attributes_,
                             static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | in_group));
  }
  ~SpawnAttributes() { posix_spawnattr_destroy(&attributes_); }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
  const posix_spawnattr_t* get() const noexcept { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

}  // namespace

std::vector<char*> pointers_to(std::vector<std::string>& arguments) {
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  return pointers;
}

void ChildFiles::set_unheard(int stream) {
  posix_spawn_file_actions_addopen(&actions_, stream, "/dev/null", O_WRONLY, 0);
}

int spawn(const std::string& program, std::vector<std::string> arguments, const ChildFiles& files, ChildGroup group,
          pid_t& child) {
  const SpawnAttributes attributes(group);
  return posix_spawn(&child, program.c_str(), files.get(), attributes.get(), pointers_to(arguments).data(), environ);
}

int wait_for_child(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : exit_status::signal_base + WTERMSIG(status);
}

}  // namespace trunkline::cli::process
