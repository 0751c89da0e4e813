// SPDX-License-Identifier: MIT
// Starts other programs with posix_spawn(3).
#pragma once

#include <spawn.h>
#include <sys/types.h>

#include <string>
#include <vector>

namespace trunkline::cli::process {

/// Returns the arguments in the form of execv(3), ended by null; the pointers refer to `arguments`.
std::vector<char*> pointers_to(std::vector<std::string>& arguments);

/// The standard streams of a child.
class ChildFiles {
 public:
  ChildFiles() { posix_spawn_file_actions_init(&actions_); }
  ~ChildFiles() { posix_spawn_file_actions_destroy(&actions_); }
  ChildFiles(const ChildFiles&) = delete;
  ChildFiles& operator=(const ChildFiles&) = delete;
  /// Gives `file` to the child as its `stream`. This process keeps ownership of `file`.
  void set(int stream, int file) { posix_spawn_file_actions_adddup2(&actions_, file, stream); }
  void set_unheard(int stream);
  const posix_spawn_file_actions_t* get() const noexcept { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

/// The process group of a child.
enum class ChildGroup : unsigned char {
  /// The group of this process, so that Ctrl-C interrupts the child too.
  ours,
  /// A group of its own, so that Ctrl-C does not interrupt the child.
  own,
};

/// Starts a child, which has default signal handling, whatever this process does. Returns 0, or the error number
/// (errno(3)).
int spawn(const std::string& program, std::vector<std::string> arguments, const ChildFiles& files, ChildGroup group,
          pid_t& child);

/// Waits for the child. Returns its exit status, 128 plus the number of a signal, or -1 if it is not a child of this
/// process.
int wait_for_child(pid_t child);

}  // namespace trunkline::cli::process
