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
/// each behind a record, and empty ones without credit, which follow another one of their kind, are only counted. So
/// what the messages take is what their credit says (MessageCredit), but for a few.
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
      return is_free(event) ? count(event) : pack(event);
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
    std::byte* const at = first.memory.block()->data() + read_;
    Record record;
    std::memcpy(&record, at, sizeof record);
    if (has_followers(record)) {
      --record.number;
      std::memcpy(at, &record, sizeof record);
      return {.codec = kinds_[record.kind].codec};
    }
    read_ += sizeof record;
    const bool is_packed = record.size != is_whole;
    Message message = is_packed ? unpack(record, first.memory) : whole_.pop_front();
    if (read_ == first.used) {
      packs_.pop_front();
      read_ = 0;
      if (packs_.empty()) last_run_ = nullptr;
    }
    return message;
  }

 private:
  /// The head of a message in a pack.
  struct Record {
    /// The size of a compressed message that is decompressed. For an empty one that is not compressed: how many of the
    /// same kind follow it, which have no records.
    std::uint64_t number = 0;
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
  static constexpr std::size_t short_bytes = session::MessageCredit::short_bytes;
  /// The sizes of the first pack, and of the following ones.
  static constexpr std::size_t first_pack_bytes = 512;
  static constexpr std::size_t pack_bytes = 4096;

  /// Returns true if the message and the numbers of its record are short enough for a pack.
  static bool is_short(const session::Event& event) noexcept {
    return event.payload.size() <= short_bytes && event.credit.call_bytes <= 2 * short_bytes &&
           event.credit.further_bytes <= short_bytes;
  }
  static bool is_free(const session::Event& event) noexcept {
    return event.payload.empty() && !event.is_compressed && event.credit.call_bytes + event.credit.further_bytes == 0;
  }
  bool has_followers(const Record& record) const noexcept {
    return record.size == 0 && record.number > 0 && kinds_[record.kind].compressor == nullptr;
  }
  /// The peer may send any number of messages that are free. A message that the last record cannot count, because that
  /// one has been read or is not packed, gets a record of its own.
  void count(const session::Event& event) {
    Record record{.kind = kind_of({event.codec, nullptr, event.is_unsized})};
    if (last_run_ != nullptr) {
      Record last;
      std::memcpy(&last, last_run_, sizeof last);
      if (last.kind == record.kind) {
        ++last.number;
        std::memcpy(last_run_, &last, sizeof last);
        return;
      }
    }
    append(record, {});
    set_last_run();
  }
  void pack(const session::Event& event) {
    append({.number = event.is_compressed ? event.decompressed_bytes : 0,
            .call_bytes = static_cast<std::uint16_t>(event.credit.call_bytes),
            .further_bytes = static_cast<std::uint16_t>(event.credit.further_bytes),
            .kind = kind_of({event.codec, event.is_compressed ? event.compressor : nullptr, event.is_unsized}),
            .size = static_cast<std::uint16_t>(event.payload.size())},
           event.payload);
    if (event.payload.empty() && !event.is_compressed) set_last_run();
  }
  void set_last_run() noexcept {
    last_run_ = packs_.back().memory.block()->data() + packs_.back().used - sizeof(Record);
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
    last_run_ = nullptr;
  }
  Message unpack(const Record& record, const Slice& memory) {
    Message message{.payload = record.size > 0 ? memory.subslice(read_, record.size) : Slice(),
                    .codec = kinds_[record.kind].codec,
                    .compressor = kinds_[record.kind].compressor,
                    .is_unsized = kinds_[record.kind].is_unsized,
                    .decompressed_bytes = record.number,
                    .credit = {.call_bytes = record.call_bytes, .further_bytes = record.further_bytes}};
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
  /// The record of the last message if that one is empty, so that others may be counted with it; else null.
  std::byte* last_run_ = nullptr;
  std::vector<Kind> kinds_;
};

}  // namespace trunkline::call
