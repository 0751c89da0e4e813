// SPDX-License-Identifier: MIT
// RequestCache: the meaning of header blocks that came lately.
#pragma once

#include "base/clock.h"
#include "session/compressor_set.h"

#include <trunkline/codec.h>
#include <trunkline/compressor.h>
#include <trunkline/slice.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>

namespace trunkline::session::grpc {

/// What the headers of a call say, without names and metadata.
struct RequestHead {
  /// The client's number for the method; 0 if it has none.
  std::uint32_t method_number = 0;
  const Codec* codec = nullptr;
  /// What grpc-encoding names; null: identity.
  const Compressor* compressor = nullptr;
  CompressorSet accepted;
  std::optional<base::Duration> timeout;
  std::optional<std::uint64_t> content_length;
};

/// A client that makes the same call again sends the same block, and while the table of its HPACK decoder is the same,
/// the block has the same meaning. The cache takes no memory until it keeps something.
class RequestCache {
 public:
  /// Longer blocks are not kept.
  static constexpr std::size_t longest = 128;

  /// `revision`: of the decoder's table. Null: the block has to be decoded.
  const RequestHead* find(ByteSpan block, std::uint64_t revision) const noexcept {
    if (entries_ == nullptr) return nullptr;
    for (const Entry& entry : *entries_) {
      if (entry.size != block.size() || entry.revision != revision) continue;
      if (std::memcmp(entry.block.data(), block.data(), block.size()) == 0) return &entry.head;
    }
    return nullptr;
  }
  /// The block has been decoded, and has neither changed the table nor its size.
  void keep(ByteSpan block, std::uint64_t revision, const RequestHead& head) {
    if (block.empty() || block.size() > longest) return;
    if (entries_ == nullptr) entries_ = std::make_unique<Entries>();
    Entry& entry = (*entries_)[next_++ % entries_->size()];
    entry.revision = revision;
    entry.size = block.size();
    entry.head = head;
    std::copy(block.begin(), block.end(), entry.block.begin());
  }

 private:
  struct Entry {
    std::uint64_t revision = 0;
    /// 0: the entry is not in use.
    std::size_t size = 0;
    RequestHead head;
    std::array<std::byte, longest> block;
  };
  using Entries = std::array<Entry, 4>;

  std::unique_ptr<Entries> entries_;
  std::size_t next_ = 0;
};

}  // namespace trunkline::session::grpc
