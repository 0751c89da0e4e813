// SPDX-License-Identifier: MIT
// DirectoryWatch: tells that something in a directory has changed, by inotify.
#pragma once

#include "net/loop.h"

#include <trunkline/status.h>

#include <asio/posix/stream_descriptor.hpp>

#include <functional>
#include <memory>
#include <string>

namespace trunkline::naming::file {

/// A watch, which only the loop's thread uses.
class DirectoryWatch {
 public:
  /// Makes a watch. `changed` is called after each batch of changes, and when the directory itself has gone; it may
  /// destroy this object.
  DirectoryWatch(net::Loop& loop, std::function<void()> changed);
  ~DirectoryWatch();
  DirectoryWatch(const DirectoryWatch&) = delete;
  DirectoryWatch& operator=(const DirectoryWatch&) = delete;

  /// Begins, or begins anew. Errors: not_found if there is no such directory; resource_exhausted if the system refuses.
  Status open(const std::string& directory);
  /// Returns false if open() has not succeeded, or the directory has gone.
  bool is_open() const noexcept;

 private:
  /// The state of the watch. Handlers own it, so it outlives the watch until they have been called.
  struct State {
    State(asio::io_context& context, std::function<void()> report) : descriptor(context), changed(std::move(report)) {}

    asio::posix::stream_descriptor descriptor;
    std::function<void()> changed;
    bool is_gone = true;
    bool is_stopped = false;
  };

  static void wait(const std::shared_ptr<State>& state);
  static void drain(State& state);

  net::Loop& loop_;
  std::function<void()> changed_;
  std::shared_ptr<State> state_;
};

}  // namespace trunkline::naming::file
