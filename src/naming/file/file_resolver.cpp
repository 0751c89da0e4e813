// SPDX-License-Identifier: MIT
// FileResolver: reads the file, and decides whether there is anything to report.
#include "naming/file/file_resolver.h"

#include "naming/file/read_fleet.h"
#include "naming/percent_decoding.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <utility>

namespace trunkline::naming::file {

namespace {

Status failed(const std::string& path, const std::string& problem) {
  return {StatusCode::unavailable, "read " + path + ": " + problem, StatusOrigin::transport};
}

Result<std::string> content_of(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return failed(path, std::strerror(errno != 0 ? errno : EIO));
  std::string content;
  std::array<char, 65536> chunk;
  while (content.size() <= FileResolver::max_bytes && file) {
    file.read(chunk.data(), chunk.size());
    content.append(chunk.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) return failed(path, std::strerror(EIO));
  if (content.size() > FileResolver::max_bytes) return failed(path, "more than 16 MiB");
  return content;
}

}  // namespace

FileResolver::FileResolver(net::Loop& loop, std::string path, std::string server_scheme)
    : loop_(loop),
      path_(std::move(path)),
      directory_(path_.substr(0, path_.rfind('/') + 1)),
      server_scheme_(std::move(server_scheme)),
      settled_([](base::Timer&, void* self, base::TimePoint) { static_cast<FileResolver*>(self)->read(); }, this),
      watch_(loop, [this] {
        if (!settled_.is_scheduled()) loop_.timers().schedule(settled_, loop_.now() + settling_time);
      }) {}

void FileResolver::start(std::shared_ptr<ResolverUpdates> updates) {
  updates_ = std::move(updates);
  read();
}

void FileResolver::read() {
  // The watch begins before the file is read, so that no change is missed.
  if (!watch_.is_open() && !watch_.open(directory_).is_ok()) {
    loop_.timers().schedule(settled_, loop_.now() + retry_time);
  }
  Result<std::string> content = content_of(path_);
  const std::string seen = content ? "+" + *content : "-" + std::string(content.status().message());
  if (has_reported_ && seen == reported_) return;
  reported_ = seen;
  has_reported_ = true;
  // The listener may destroy this resolver.
  const std::shared_ptr<ResolverUpdates> updates = updates_;
  if (!content) return updates->fail(std::move(content).status());
  Result<Resolution> resolution = read_fleet(*content, server_scheme_);
  if (!resolution) return updates->fail(failed(path_, std::string(resolution.status().message())));
  updates->update(*std::move(resolution));
}

Result<std::unique_ptr<Resolver>> make_file_resolver(const ResolverContext& context) {
  const Target& target = context.target;
  const auto refused = [&](const std::string& problem) {
    return Status(StatusCode::invalid_argument, "parse target \"" + target.text + "\": " + problem);
  };
  if (!target.authority.empty()) return refused("a path begins with a third '/'");
  if (target.path.empty() || target.path.ends_with('/')) return refused("the name of the file is missing");
  if (!target.query.empty()) return refused("unknown parameter");
  const std::optional<std::string> path = percent_decoded(target.path);
  if (!path) return refused("'%' is not that of a byte");
  return std::unique_ptr<Resolver>(std::make_unique<FileResolver>(context.loop, "/" + *path, target.server_scheme));
}

}  // namespace trunkline::naming::file
