// SPDX-License-Identifier: MIT
// ChildServer: runs this program as `trunkline bench serve` in a process of its own.
#pragma once

#include "cli/process/file_handle.h"

#include <sys/types.h>

#include <string>

namespace trunkline::cli::bench {

/// A server that ends with this object. It also ends when this process ends for any reason, because its standard input
/// is then closed.
class ChildServer {
 public:
  /// Starts the server and waits until it listens. Throws Failure if it does not.
  ChildServer(const std::string& uri, bool polls);
  ~ChildServer();
  ChildServer(const ChildServer&) = delete;
  ChildServer& operator=(const ChildServer&) = delete;

  /// Returns the endpoint, with the port that the system chose.
  const std::string& endpoint() const noexcept { return endpoint_; }

 private:
  void read_endpoint();

  pid_t process_ = 0;
  process::FileHandle input_;
  // The pipe is kept open, because a server whose output has no reader ends.
  process::FileHandle output_;
  std::string endpoint_;
};

}  // namespace trunkline::cli::bench
