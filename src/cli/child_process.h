// SPDX-License-Identifier: MIT
// Programs that the command starts, by posix_spawn(3).
#pragma once

#include <spawn.h>
#include <sys/types.h>

#include <string>
#include <vector>

namespace trunkline::cli {

/// As execv(3) wants them, ended by null; they point into `arguments`.
std::vector<char*> pointers_to(std::vector<std::string>& arguments);

/// Where a child's standard streams come from and go.
class ChildFiles {
 public:
  ChildFiles() { posix_spawn_file_actions_init(&actions_); }
  ~ChildFiles() { posix_spawn_file_actions_destroy(&actions_); }
  ChildFiles(const ChildFiles&) = delete;
  ChildFiles& operator=(const ChildFiles&) = delete;
  /// `file` stays this process's to close.
  void set(int stream, int file) { posix_spawn_file_actions_adddup2(&actions_, file, stream); }
  void set_unheard(int stream);
  const posix_spawn_file_actions_t* get() const noexcept { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

enum class ChildGroup : unsigned char {
  ours,  ///< Ctrl-C is for it too
  own,   ///< Ctrl-C is not
};

/// Its signals are as a program expects them, whatever this one does with them. 0, or the error's number (errno(3)).
int spawn(const std::string& program, std::vector<std::string> arguments, const ChildFiles& files, ChildGroup group,
          pid_t& child);

/// Until it ends: its exit status, 128 and the signal's number, or -1 if it is not a child of this process.
int wait_for_child(pid_t child);

}  // namespace trunkline::cli
