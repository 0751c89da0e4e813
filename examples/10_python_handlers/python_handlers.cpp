// SPDX-License-Identifier: MIT
// A C++ server that hosts Python handlers: its workers take the GIL for each call, and as many processes as asked for
// share the port, each with an interpreter of its own, so that the handlers use more than one core.
// Usage: python_handlers FOLDER ENDPOINT [PROCESSES] (the folder of handlers.py; a tcp or tls endpoint)
#include "10_python_handlers/embedded_python.h"
#include "server_certificate.h"

#include <trunkline/server.h>

#include <spawn.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

extern char** environ;

namespace {

/// Further processes of this program. They serve the same endpoint until they are told to stop.
class Processes {
 public:
  Processes(const std::string& folder, const std::string& endpoint, int count) {
    for (int i = 0; i < count; ++i) {
      std::vector<std::string> arguments{"python_handlers", folder, endpoint};
      std::vector<char*> pointers;
      for (std::string& argument : arguments) pointers.push_back(argument.data());
      pointers.push_back(nullptr);
      pid_t pid = 0;
      const int refused = posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, pointers.data(), environ);
      if (refused != 0) {
        stop();
        throw std::system_error(refused, std::generic_category(), "start a process");
      }
      pids_.push_back(pid);
    }
  }
  ~Processes() { static_cast<void>(stop()); }
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  /// True if all have ended well.
  bool stop() {
    bool well = true;
    for (const pid_t pid : pids_) kill(pid, SIGTERM);
    for (const pid_t pid : pids_) {
      int status = 0;
      well = waitpid(pid, &status, 0) == pid && status == 0 && well;
    }
    pids_.clear();
    return well;
  }

 private:
  std::vector<pid_t> pids_;
};

bool serve(const std::string& folder, const std::string& endpoint, int processes, const sigset_t& signals) {
  const example::EmbeddedPython python(folder);
  trunkline::ServerOptions options;
  options.tls = example::server_certificate();
  options.transport.reuse_port = true;
  trunkline::Server server(options);
  for (const auto& [method, handler] : python.handlers()) {
    server.handle<std::string, std::string>(
        method, [&run = handler](const std::string& request, trunkline::ServerContext&) { return run(request); },
        {.blocking = true});
  }
  const std::string chosen = server.listen(endpoint).to_string();
  if (trunkline::Status started = server.start(); !started) throw trunkline::StatusError(started);
  std::cout << "listening on " << chosen << std::endl;
  Processes others(folder, chosen, processes - 1);
  int signal = 0;
  sigwait(&signals, &signal);
  const bool ended_well = others.stop();
  const trunkline::Status drained = server.shutdown(std::chrono::seconds(5));
  std::cout << "stopped: " << drained.to_string() << std::endl;
  return drained.is_ok() && ended_well;
}

}  // namespace

int main(int argc, char** argv) {
  const int processes = argc == 4 ? std::atoi(argv[3]) : 1;
  if ((argc != 3 && argc != 4) || processes < 1 || processes > 64) {
    std::cerr << "usage: " << argv[0] << " FOLDER ENDPOINT [PROCESSES], 1 to 64 of them\n";
    return 2;
  }
  // Blocked here, and so in every thread and process that is started, the signals wait for sigwait().
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  try {
    return serve(argv[1], argv[2], processes, signals) ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "python_handlers: " << error.what() << "\n";
    return 1;
  }
}
