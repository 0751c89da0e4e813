// SPDX-License-Identifier: MIT
// Interruption: uses signalfd(2) and poll(2) on a thread.
#include "cli/process/interruption.h"

#include "cli/process/failure.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>

namespace trunkline::cli::process {
namespace {

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

[[noreturn]] void fail(int error) {
  throw Failure(exit_status::failed, std::string("watch for signals: ") + std::strerror(error));
}

}  // namespace

Interruption::Interruption() {
  const sigset_t set = watched_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signals_ = FileHandle(signalfd(-1, &set, SFD_CLOEXEC));
  end_ = FileHandle(eventfd(0, EFD_CLOEXEC));
  if (signals_.get() < 0 || end_.get() < 0) fail(errno);
  try {
    thread_ = std::thread([this] { watch(); });
  } catch (const std::system_error& error) {
    fail(error.code().value());
  }
}

Interruption::~Interruption() {
  const std::uint64_t one = 1;
  while (write(end_.get(), &one, sizeof one) < 0 && errno == EINTR) {
  }
  thread_.join();
  const sigset_t set = watched_signals();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void Interruption::on_stop(std::function<void()> stop) {
  const std::lock_guard lock(mutex_);
  stop_ = std::move(stop);
  if (signal_ != 0 && stop_) stop_();
}

void Interruption::on_end(std::function<void()> last) {
  const std::lock_guard lock(mutex_);
  last_ = std::move(last);
}

int Interruption::exit_status() const {
  const std::lock_guard lock(mutex_);
  return signal_ == 0 ? exit_status::ok : exit_status::signal_base + signal_;
}

void Interruption::watch() {
  // poll() always reports a pipe without a reader and a closed terminal.
  std::array<pollfd, 3> waits{pollfd{.fd = end_.get(), .events = POLLIN, .revents = 0},
                              pollfd{.fd = signals_.get(), .events = POLLIN, .revents = 0},
                              pollfd{.fd = STDOUT_FILENO, .events = 0, .revents = 0}};
  while (true) {
    if (poll(waits.data(), waits.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return;
    }
    if (waits[0].revents != 0) return;
    if (waits[1].revents != 0) {
      signalfd_siginfo info{};
      if (read(signals_.get(), &info, sizeof info) == sizeof info) interrupt(static_cast<int>(info.ssi_signo));
    }
    if (waits[2].revents != 0) {
      const bool is_gone = (waits[2].revents & (POLLERR | POLLHUP)) != 0;
      waits[2].fd = -1;
      if (is_gone) interrupt(SIGPIPE);
    }
  }
}

void Interruption::interrupt(int signal) {
  const std::lock_guard lock(mutex_);
  if (signal_ != 0 || !stop_) {
    if (last_) last_();
    _exit(exit_status::signal_base + signal);
  }
  signal_ = signal;
  stop_();
}

}  // namespace trunkline::cli::process
