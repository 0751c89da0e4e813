// SPDX-License-Identifier: MIT
// BlockCache: the meaning of header blocks that came lately.
#pragma once

#include <trunkline/slice.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

namespace trunkline::session::grpc {

/// A peer repeats its blocks: a client the block of the same call, a server the block of the usual response. While the
/// table of the HPACK decoder is the same, such a block has the same meaning. The cache takes no memory until it keeps
/// something.
template <class Meaning>
class BlockCache {
 public:
  /// Blocks longer than this are not kept.
  static constexpr std::size_t longest = 128;

  /// `revision` is that of the decoder's table. Returns null if the block has to be decoded.
  const Meaning* find(ByteSpan block, std::uint64_t revision) const noexcept {
    // An entry that is not in use looks like an empty block.
    if (entries_ == nullptr || block.empty()) return nullptr;
    for (const Entry& entry : *entries_) {
      if (entry.size != block.size() || entry.revision != revision) continue;
      if (std::memcmp(entry.block.data(), block.data(), block.size()) == 0) return &entry.meaning;
    }
    return nullptr;
  }
  /// Keeps a block that has been decoded, and has changed neither the table nor its size.
  void keep(ByteSpan block, std::uint64_t revision, const Meaning& meaning) {
    if (block.empty() || block.size() > longest) return;
    if (entries_ == nullptr) entries_ = std::make_unique<Entries>();
    Entry& entry = (*entries_)[next_++ % entries_->size()];
    entry.revision = revision;
    entry.size = block.size();
    entry.meaning = meaning;
    std::copy(block.begin(), block.end(), entry.block.begin());
  }
  /// Forgets all blocks, because they may mean something else now.
  void clear() noexcept { entries_.reset(); }

 private:
  struct Entry {
    std::uint64_t revision = 0;
    /// The size is 0 while the entry is not in use.
    std::size_t size = 0;
    Meaning meaning;
    std::array<std::byte, longest> block;
  };
  using Entries = std::array<Entry, 4>;

  std::unique_ptr<Entries> entries_;
  std::size_t next_ = 0;
};

}  // namespace trunkline::session::grpc
