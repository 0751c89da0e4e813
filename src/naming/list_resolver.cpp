// SPDX-License-Identifier: MIT
// make_list_resolver(): parses the list once.
#include "naming/list_resolver.h"

#include <string>
#include <string_view>
#include <utility>

namespace trunkline::naming {

namespace {

class ListResolver final : public Resolver {
 public:
  explicit ListResolver(Resolution resolution) noexcept : resolution_(std::move(resolution)) {}
  void start(std::shared_ptr<ResolverUpdates> updates) override { updates->update(std::move(resolution_)); }

 private:
  Resolution resolution_;
};

/// Returns true if the text names its own scheme.
bool is_uri(std::string_view entry) noexcept {
  return entry.find("://") != std::string_view::npos || entry.starts_with("unix:") ||
         entry.substr(0, entry.find(':')).ends_with("+unix");
}

}  // namespace

Result<std::unique_ptr<Resolver>> make_list_resolver(const ResolverContext& context) {
  Resolution resolution;
  std::string_view rest = context.target.path;
  for (bool has_more = true; has_more;) {
    const auto comma = rest.find(',');
    const std::string_view entry = rest.substr(0, comma);
    has_more = comma != std::string_view::npos;
    rest.remove_prefix(has_more ? comma + 1 : rest.size());
    const std::string uri =
        is_uri(entry) ? std::string(entry) : context.target.server_scheme + "://" + std::string(entry);
    Result<Endpoint> endpoint = Endpoint::parse(uri);
    if (!endpoint) return std::move(endpoint).status();
    resolution.servers.push_back({.endpoint = *std::move(endpoint)});
  }
  return std::unique_ptr<Resolver>(std::make_unique<ListResolver>(std::move(resolution)));
}

}  // namespace trunkline::naming
