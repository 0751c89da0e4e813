// SPDX-License-Identifier: MIT
// UnreadMessages: the messages of a stream that have come and that the application has not read.
#pragma once

#include "base/vector_queue.h"
#include "session/event.h"

#include <trunkline/codec.h>
#include <trunkline/slice.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace trunkline::call {

/// Keeps the messages in order, compressed ones as they came. Once several wait, short messages are packed into blocks,
/// each behind a record that is as long as the header of a frame. A message thus takes no more memory than it has cost
/// credit, and the credit of the connection bounds them all.
class UnreadMessages {
 public:
  struct Message {
    Slice payload{};
    const Codec* codec = nullptr;
    /// The compressor of the payload. Null: it is not compressed.
    const Compressor* compressor = nullptr;
    /// True if a compressed payload has the compressor's unsized form.
    bool is_unsized = false;
    /// The size to which a compressed payload decompresses. With is_unsized it is the most that it may have.
    std::size_t decompressed_bytes = 0;
    session::MessageCredit credit{};
  };

  bool empty() const noexcept { return whole_.empty() && packs_.empty(); }
  /// Adds the message of `event`, which is copied if it is short.
  void push(const session::Event& event) {
    if (packs_.empty() && (whole_.size() < few || !is_short(event))) {
      ++unpacked_;
    } else if (is_short(event)) {
      return pack(event);
    } else {
      append({.size = is_whole}, {});
    }
    whole_.push_back({.payload = event.payload_slice(),
                      .codec = event.codec,
                      .compressor = event.is_compressed ? event.compressor : nullptr,
                      .is_unsized = event.is_unsized,
                      .decompressed_bytes = event.decompressed_bytes,
                      .credit = event.credit});
  }
  /// Removes and returns the first message; there must be one.
  Message pop() {
    if (unpacked_ > 0) {
      --unpacked_;
      return whole_.pop_front();
    }
    const Pack& first = packs_.front();
    Record record;
    std::memcpy(&record, first.memory.data() + read_, sizeof record);
    read_ += sizeof record;
    const bool is_packed = record.size != is_whole;
    Message message = is_packed ? unpack(record, first.memory) : whole_.pop_front();
    if (read_ == first.used) {
      packs_.pop_front();
      read_ = 0;
    }
    return message;
  }

 private:
  /// The head of a message in a pack.
  struct Record {
    std::uint32_t connection_bytes = 0;
    std::uint32_t decompressed_bytes = 0;
    std::uint16_t call_bytes = 0;
    std::uint16_t further_bytes = 0;
    /// The index of the message's kind in `kinds_`.
    std::uint16_t kind = 0;
    /// The size of the message, which follows. The value is_whole says that the message is the next one of `whole_`.
    std::uint16_t size = 0;
  };
  static_assert(sizeof(Record) == 16);
  struct Pack {
    Slice memory;
    std::size_t used = 0;
  };
  struct Kind {
    const Codec* codec = nullptr;
    const Compressor* compressor = nullptr;
    bool is_unsized = false;
    bool operator==(const Kind&) const = default;
  };
  static constexpr std::uint16_t is_whole = std::numeric_limits<std::uint16_t>::max();
  static constexpr std::size_t few = 4;
  static constexpr std::size_t short_bytes = 256;
  /// The sizes of the first pack, and of the following ones.
  static constexpr std::size_t first_pack_bytes = 512;
  static constexpr std::size_t pack_bytes = 4096;

  /// Returns true if the message and the numbers of its record are short enough for a pack.
  static bool is_short(const session::Event& event) noexcept {
    return event.payload.size() <= short_bytes && event.credit.call_bytes <= 2 * short_bytes &&
           event.credit.further_bytes <= short_bytes &&
           event.decompressed_bytes <= std::numeric_limits<std::uint32_t>::max();
  }
  void pack(const session::Event& event) {
    append({.connection_bytes = event.credit.connection_bytes,
            .decompressed_bytes = static_cast<std::uint32_t>(event.decompressed_bytes),
            .call_bytes = static_cast<std::uint16_t>(event.credit.call_bytes),
            .further_bytes = static_cast<std::uint16_t>(event.credit.further_bytes),
            .kind = kind_of({event.codec, event.is_compressed ? event.compressor : nullptr, event.is_unsized}),
            .size = static_cast<std::uint16_t>(event.payload.size())},
           event.payload);
  }
  void append(const Record& record, ByteSpan message) {
    const std::size_t size = sizeof record + message.size();
    if (packs_.empty() || packs_.back().memory.size() - packs_.back().used < size) {
      Block* const block = Block::allocate(packs_.empty() ? first_pack_bytes : pack_bytes);
      packs_.push_back({Slice(block, block->data(), block->capacity())});
    }
    Pack& last = packs_.back();
    std::byte* const at = last.memory.block()->data() + last.used;
    std::memcpy(at, &record, sizeof record);
    if (!message.empty()) std::memcpy(at + sizeof record, message.data(), message.size());
    last.used += size;
  }
  Message unpack(const Record& record, const Slice& memory) {
    Message message{.payload = record.size > 0 ? memory.subslice(read_, record.size) : Slice(),
                    .codec = kinds_[record.kind].codec,
                    .compressor = kinds_[record.kind].compressor,
                    .is_unsized = kinds_[record.kind].is_unsized,
                    .decompressed_bytes = record.decompressed_bytes,
                    .credit = {record.connection_bytes, record.call_bytes, record.further_bytes}};
    read_ += record.size;
    return message;
  }
  /// Returns the index of a kind. There are few: the codecs and compressors that both sides know.
  std::uint16_t kind_of(const Kind& kind) {
    const auto found = std::find(kinds_.begin(), kinds_.end(), kind);
    const auto index = static_cast<std::uint16_t>(found - kinds_.begin());
    if (found == kinds_.end()) kinds_.push_back(kind);
    return index;
  }

  base::VectorQueue<Message> whole_;
  /// The number of messages of `whole_` that come before the packed ones.
  std::size_t unpacked_ = 0;
  base::VectorQueue<Pack> packs_;
  /// The place up to which the first pack has been read.
  std::size_t read_ = 0;
  std::vector<Kind> kinds_;
};

}  // namespace trunkline::call
