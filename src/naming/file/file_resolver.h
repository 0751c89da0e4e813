// SPDX-License-Identifier: MIT
// FileResolver: reports the servers that a file lists, and again whenever it changes.
#pragma once

#include "base/timer_wheel.h"
#include "naming/file/directory_watch.h"
#include "net/loop.h"

#include <trunkline/resolver.h>

#include <memory>
#include <string>

namespace trunkline::naming::file {

/// Watches the directory rather than the file, which may be replaced by another or be a symbolic link by way of the
/// directory, as Kubernetes' ConfigMaps are. Content that is malformed is reported as a failure, and the last report
/// holds. Only the loop's thread uses it.
class FileResolver final : public Resolver {
 public:
  /// The time for which changes are collected before the file is read.
  static constexpr base::Duration settling_time = std::chrono::milliseconds(50);
  /// The time after which a directory that cannot be watched is tried again.
  static constexpr base::Duration retry_time = std::chrono::seconds(1);
  static constexpr std::size_t max_bytes = 16u << 20;

  /// Makes a resolver. `path` is absolute.
  FileResolver(net::Loop& loop, std::string path, std::string server_scheme);

  void start(std::shared_ptr<ResolverUpdates> updates) override;

 private:
  void read();

  net::Loop& loop_;
  const std::string path_;
  const std::string directory_;
  const std::string server_scheme_;
  std::shared_ptr<ResolverUpdates> updates_;
  /// The last report, of whichever kind. A change that leaves it as it is does not count.
  std::string reported_;
  bool has_reported_ = false;
  base::Timer settled_;
  DirectoryWatch watch_;
};

/// Serves as a ResolverRegistry::Factory. Error: invalid_argument, naming what is wrong with the URI.
Result<std::unique_ptr<Resolver>> make_file_resolver(const ResolverContext& context);

}  // namespace trunkline::naming::file
