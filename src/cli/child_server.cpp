// SPDX-License-Identifier: MIT
// posix_spawn(3) with a pipe each way.
#include "cli/child_server.h"

#include "cli/failure.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <vector>

extern char** environ;

namespace trunkline::cli {
namespace {

constexpr std::string_view announcement = "listening on ";

struct Pipe {
  FileHandle reading, writing;

  Pipe() {
    std::array<int, 2> files{};
    if (pipe2(files.data(), O_CLOEXEC) != 0) {
      throw Failure(exit_status::failed, std::string("make a pipe: ") + std::strerror(errno));
    }
    reading = FileHandle(files[0]);
    writing = FileHandle(files[1]);
  }
};

/// In a process group of its own, so that Ctrl-C is not for it, and with no signal blocked.
pid_t spawn(std::vector<std::string> arguments, const Pipe& input, const Pipe& output) {
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.reading.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.writing.get(), STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  const int error = posix_spawn(&child, "/proc/self/exe", &actions, &attributes, pointers.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw Failure(exit_status::failed, std::string("start a server: ") + std::strerror(error));
  return child;
}

}  // namespace

ChildServer::ChildServer(const std::string& uri, bool polls) {
  Pipe input;
  Pipe output;
  std::vector<std::string> arguments{"trunkline", "bench", "serve", uri, "--until-input-ends"};
  if (polls) arguments.emplace_back("--busy-poll");
  process_ = spawn(std::move(arguments), input, output);
  input_ = std::move(input.writing);
  output.writing = FileHandle();
  output_ = std::move(output.reading);
  read_endpoint();
}

ChildServer::~ChildServer() {
  input_ = FileHandle();
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void ChildServer::read_endpoint() {
  std::string line;
  char byte = 0;
  while (true) {
    const ssize_t count = read(output_.get(), &byte, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0 || byte == '\n') break;
    line += byte;
  }
  if (!line.starts_with(announcement)) {
    input_ = FileHandle();
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
    throw Failure(exit_status::failed, "the server of --self did not come up");
  }
  endpoint_ = line.substr(announcement.size());
}

}  // namespace trunkline::cli
