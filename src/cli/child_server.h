// SPDX-License-Identifier: MIT
// ChildServer: this program as `trunkline bench serve`, in a process of its own.
#pragma once

#include "cli/file_handle.h"

#include <sys/types.h>

#include <string>

namespace trunkline::cli {

/// Ends with this object, and with this process, however that ends: its standard input is then closed.
class ChildServer {
 public:
  /// Waits until it listens. Throws Failure if it does not.
  ChildServer(const std::string& uri, bool polls);
  ~ChildServer();
  ChildServer(const ChildServer&) = delete;
  ChildServer& operator=(const ChildServer&) = delete;

  /// With the port that the system chose.
  const std::string& endpoint() const noexcept { return endpoint_; }

 private:
  void read_endpoint();

  pid_t process_ = 0;
  FileHandle input_;
  FileHandle output_;  // a server whose output nobody reads ends
  std::string endpoint_;
};

}  // namespace trunkline::cli
