// SPDX-License-Identifier: MIT
// RequestCache: the heads of requests that a client has sent before, and what they mean.
#pragma once

#include "session/http1/exchange.h"

#include <trunkline/metadata.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace trunkline::session::http1 {

/// A client that repeats a call repeats its head, so reading it costs a comparison. The four latest heads are kept. A
/// head ends with an empty line, and nothing before that is one, so bytes that begin with a known head have no other.
class RequestCache {
 public:
  struct Entry {
    std::string head;
    RequestFacts facts;
    Metadata metadata;
  };

  /// Heads longer than this are not kept.
  static constexpr std::size_t max_head_bytes = 1024;

  /// Returns null if `input` begins with no known head.
  const Entry* find(std::string_view input) const noexcept {
    for (const Entry& entry : entries_) {
      const std::size_t size = entry.head.size();
      if (size == 0 || size > input.size()) continue;
      if (std::memcmp(entry.head.data(), input.data(), size) == 0) return &entry;
    }
    return nullptr;
  }
  /// Keeps a head and what it means. Who finds it must set `facts.method` anew, since that view may have ended.
  void keep(std::string_view head, const RequestFacts& facts, const Metadata& metadata) {
    if (head.size() > max_head_bytes) return;
    Entry& entry = entries_[next_++ % entries_.size()];
    held_bytes_ -= entry.head.size() + entry.metadata.total_bytes();
    entry.head.clear();
    entry.facts = facts;
    entry.metadata = metadata;
    entry.head = head;
    held_bytes_ += entry.head.size() + entry.metadata.total_bytes();
  }
  /// Forgets all heads, because they may mean something else now.
  void clear() noexcept {
    for (Entry& entry : entries_) entry = {};
    held_bytes_ = 0;
  }
  std::size_t held_bytes() const noexcept { return held_bytes_; }

 private:
  std::array<Entry, 4> entries_;
  std::size_t next_ = 0;
  std::size_t held_bytes_ = 0;
};

}  // namespace trunkline::session::http1
