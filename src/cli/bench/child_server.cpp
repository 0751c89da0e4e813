// SPDX-License-Identifier: MIT
// ChildServer: starts this program again, with a pipe in each direction.
#include "cli/bench/child_server.h"

#include "cli/process/child_process.h"
#include "cli/process/failure.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

namespace trunkline::cli::bench {
namespace {

constexpr std::string_view announcement = "listening on ";

struct Pipe {
  process::FileHandle reading, writing;

  Pipe() {
    std::array<int, 2> files{};
    if (pipe2(files.data(), O_CLOEXEC) != 0) {
      throw process::Failure(process::exit_status::failed, std::string("make a pipe: ") + std::strerror(errno));
    }
    reading = process::FileHandle(files[0]);
    writing = process::FileHandle(files[1]);
  }
};

}  // namespace

ChildServer::ChildServer(const std::string& uri, bool polls) {
  Pipe input;
  Pipe output;
  std::vector<std::string> arguments{"trunkline", "bench", "serve", uri, "--until-input-ends"};
  if (polls) arguments.emplace_back("--busy-poll");
  process::ChildFiles files;
  files.set(STDIN_FILENO, input.reading.get());
  files.set(STDOUT_FILENO, output.writing.get());
  const int error = process::spawn("/proc/self/exe", std::move(arguments), files, process::ChildGroup::own, process_);
  if (error != 0)
    throw process::Failure(process::exit_status::failed, std::string("start a server: ") + std::strerror(error));
  input_ = std::move(input.writing);
  output.writing = process::FileHandle();
  output_ = std::move(output.reading);
  read_endpoint();
}

ChildServer::~ChildServer() {
  input_ = process::FileHandle();
  process::wait_for_child(process_);
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
    input_ = process::FileHandle();
    process::wait_for_child(process_);
    throw process::Failure(process::exit_status::failed, "the server of --self did not start");
  }
  endpoint_ = line.substr(announcement.size());
}

}  // namespace trunkline::cli::bench
