// SPDX-License-Identifier: MIT
// Shares the texts of user-agent fields.
#include "session/user_agent.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace trunkline::session {
namespace {

/// Holds the texts in use by their hashes. Two texts with the same hash are not shared, which is all that a client can
/// achieve by choosing them so.
class SharedTexts {
 public:
  UserAgent get(std::string_view text) {
    const std::size_t hash = std::hash<std::string_view>()(text);
    if (const auto found = texts_.find(hash); found != texts_.end()) {
      UserAgent known = found->second.lock();
      if (known != nullptr && *known == text) return known;
    }
    if (texts_.size() >= size_of_next_sweep_) sweep();
    auto made = std::make_shared<const std::string>(text);
    texts_.insert_or_assign(hash, made);
    return made;
  }

 private:
  /// Removes the texts that nobody uses any longer.
  void sweep() {
    constexpr std::size_t least = 64;
    std::erase_if(texts_, [](const auto& entry) { return entry.second.expired(); });
    size_of_next_sweep_ = std::max(least, texts_.size() * 2);
  }

  std::unordered_map<std::size_t, std::weak_ptr<const std::string>> texts_;
  std::size_t size_of_next_sweep_ = 64;
};

}  // namespace

UserAgent share_user_agent(std::string_view text) {
  thread_local SharedTexts texts;
  return texts.get(text.substr(0, max_user_agent_bytes));
}

std::uint8_t KnownUserAgents::find(std::string_view text) const noexcept {
  text = text.substr(0, max_user_agent_bytes);
  const auto found =
      std::find_if(agents_.begin(), agents_.end(), [text](const UserAgent& agent) { return *agent == text; });
  return found == agents_.end() ? 0 : static_cast<std::uint8_t>(found - agents_.begin() + 1);
}

std::uint8_t KnownUserAgents::add(std::string_view text) {
  agents_.push_back(share_user_agent(text));
  return static_cast<std::uint8_t>(agents_.size());
}

std::size_t KnownUserAgents::held_bytes() const noexcept {
  std::size_t bytes = 0;
  for (const UserAgent& agent : agents_) bytes += agent->size();
  return bytes;
}

}  // namespace trunkline::session
