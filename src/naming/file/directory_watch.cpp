// SPDX-License-Identifier: MIT
// DirectoryWatch: reads the events of inotify, of which only the end of the watch is told apart.
#include "naming/file/directory_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace trunkline::naming::file {

namespace {

constexpr std::uint32_t events = IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB |
                                 IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

Status refused(const std::string& directory, int error) {
  return {error == ENOENT || error == ENOTDIR ? StatusCode::not_found : StatusCode::resource_exhausted,
          "watch " + directory + ": " + std::strerror(error), StatusOrigin::transport};
}

}  // namespace

DirectoryWatch::DirectoryWatch(net::Loop& loop, std::function<void()> changed)
    : loop_(loop), changed_(std::move(changed)) {}

DirectoryWatch::~DirectoryWatch() {
  if (state_ != nullptr) state_->is_stopped = true;
  if (state_ != nullptr) state_->descriptor.close();
}

bool DirectoryWatch::is_open() const noexcept { return state_ != nullptr && !state_->is_gone; }

Status DirectoryWatch::open(const std::string& directory) {
  if (state_ != nullptr) {
    state_->is_stopped = true;
    state_->descriptor.close();
    state_.reset();
  }
  if (Status status = loop_.open(); !status.is_ok()) return status;
  const int descriptor = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (descriptor < 0) return refused(directory, errno);
  if (inotify_add_watch(descriptor, directory.c_str(), events) < 0) {
    const int error = errno;
    ::close(descriptor);
    return refused(directory, error);
  }
  state_ = std::make_shared<State>(loop_.context(), changed_);
  state_->descriptor.assign(descriptor);
  state_->is_gone = false;
  wait(state_);
  return {};
}

void DirectoryWatch::wait(const std::shared_ptr<State>& state) {
  state->descriptor.async_wait(asio::posix::descriptor_base::wait_read, [state](const asio::error_code& error) {
    if (error || state->is_stopped) return;
    drain(*state);
    state->changed();
    if (!state->is_stopped && !state->is_gone) wait(state);
  });
}

void DirectoryWatch::drain(State& state) {
  alignas(inotify_event) std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t size = ::read(state.descriptor.native_handle(), buffer.data(), buffer.size());
    if (size <= 0) return;
    for (ssize_t at = 0; at < size;) {
      const auto* const event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
      if ((event->mask & (IN_IGNORED | IN_MOVE_SELF)) != 0) state.is_gone = true;
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
    }
  }
}

}  // namespace trunkline::naming::file
