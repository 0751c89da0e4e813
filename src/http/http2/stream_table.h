// SPDX-License-Identifier: MIT
// StreamTable: the streams of a connection that are not closed, and which ids have been used.
#pragma once

#include "base/id_table.h"
#include "base/object_pool.h"
#include "http/http2/stream.h"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace trunkline::http::http2 {

/// Finds streams by their ids, and owns none of them (Streams does). One stream may be unlisted: it costs no entry
/// until list() is called, which a stream that is over at once does not need.
class StreamTable {
 public:
  /// The stream becomes the unlisted one; there must be none yet. Its id is above newest().
  void open_unlisted(Stream& stream) noexcept {
    unlisted_ = &stream;
    newest_ = stream.id;
  }
  /// Makes room for an entry, so that the next add() or list() needs no memory.
  void make_room() { streams_.make_room(); }
  /// The stream gets an entry at once. Its id is above newest().
  void add(Stream& stream) {
    streams_.insert(&stream);
    newest_ = stream.id;
  }
  /// The unlisted stream gets an entry.
  void list() {
    streams_.insert(unlisted_);
    unlisted_ = nullptr;
  }
  void remove(const Stream& stream) noexcept {
    if (&stream == unlisted_) {
      unlisted_ = nullptr;
    } else {
      streams_.erase(&stream);
    }
  }
  Stream* unlisted() const noexcept { return unlisted_; }
  Stream* find(std::uint32_t id) const noexcept {
    if (unlisted_ != nullptr && unlisted_->id == id) return unlisted_;
    return streams_.find(id);
  }

  /// The peer has used the id of a stream that is not opened.
  void note_id(std::uint32_t id) noexcept { newest_ = std::max(newest_, id); }
  /// This side has reset the stream: frames that were on their way are ignored.
  void note_reset(std::uint32_t id) noexcept {
    // The entry is kept for the later one of two streams at the same place.
    std::uint32_t& entry = resets_[place(id)];
    entry = std::max(entry, id);
  }
  /// The peer has reset such a stream too, so nothing of it is on its way.
  void note_peer_reset(std::uint32_t id) noexcept {
    if (resets_[place(id)] == id) resets_[place(id)] = 0;
  }
  /// Frames on the closed stream may have been on their way when this side reset it. Of streams that are older than
  /// the last remembered_streams it is not known whether it has, so their frames are ignored too, as RFC 9113
  /// (section 5.1) permits.
  bool may_be_reset(std::uint32_t id) const noexcept {
    return resets_[place(id)] == id || (newest_ - id) / 2 >= remembered_streams;
  }

  /// No stream has had the id. Streams with even ids cannot be, because only a server may open them, and none does.
  bool is_idle(std::uint32_t id) const noexcept { return id > newest_ || id % 2 == 0; }
  std::uint32_t newest() const noexcept { return newest_; }
  std::size_t size() const noexcept { return streams_.size() + (unlisted_ != nullptr ? 1 : 0); }
  bool empty() const noexcept { return size() == 0; }
  /// Returns the streams with an entry, oldest first.
  std::vector<Stream*> by_age() const {
    return streams_.by_age(newest_, [](const Stream&) { return true; });
  }
  /// Calls `function` for all streams, in no particular order. It must not change the table, but may destroy the
  /// stream.
  template <class Function>
  void for_each(Function function) const {
    streams_.for_each(function);
    if (unlisted_ != nullptr) function(*unlisted_);
  }

  static constexpr std::size_t remembered_streams = 128;

 private:
  static std::size_t place(std::uint32_t id) noexcept { return id / 2 % remembered_streams; }

  base::IdTable<Stream> streams_;
  Stream* unlisted_ = nullptr;
  std::uint32_t newest_ = 0;
  /// Holds the streams that this side has reset, each at its place.
  std::array<std::uint32_t, remembered_streams> resets_{};
};

/// Owns the streams of a table as objects of the type by which the layer above extends them, from a pool.
template <std::derived_from<Stream> Entry>
class Streams {
 public:
  Streams() = default;
  ~Streams() {
    table_.for_each([](Stream& stream) { Pool::free(&own(stream)); });
  }
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  /// Opens an unlisted stream, of which there must be none yet. `id` is above newest().
  template <class... Arguments>
  Entry& open_unlisted(std::uint32_t id, Arguments&&... arguments) {
    Entry* const stream = Pool::make(id, std::forward<Arguments>(arguments)...);
    table_.open_unlisted(*stream);
    return *stream;
  }
  /// Opens a stream that has an entry at once. `id` is above newest().
  template <class... Arguments>
  Entry& add(std::uint32_t id, Arguments&&... arguments) {
    table_.make_room();
    Entry* const stream = Pool::make(id, std::forward<Arguments>(arguments)...);
    table_.add(*stream);
    return *stream;
  }
  /// Destroys the stream.
  void forget(Entry& stream) noexcept {
    table_.remove(stream);
    Pool::free(&stream);
  }
  Entry* unlisted() const noexcept { return static_cast<Entry*>(table_.unlisted()); }
  Entry* find(std::uint32_t id) const noexcept { return static_cast<Entry*>(table_.find(id)); }
  std::vector<Entry*> by_age() const {
    const std::vector<Stream*> streams = table_.by_age();
    std::vector<Entry*> owned(streams.size());
    std::transform(streams.begin(), streams.end(), owned.begin(), [](Stream* stream) { return &own(*stream); });
    return owned;
  }

  void list() { table_.list(); }
  void note_id(std::uint32_t id) noexcept { table_.note_id(id); }
  void note_reset(std::uint32_t id) noexcept { table_.note_reset(id); }
  void note_peer_reset(std::uint32_t id) noexcept { table_.note_peer_reset(id); }
  bool may_be_reset(std::uint32_t id) const noexcept { return table_.may_be_reset(id); }
  bool is_idle(std::uint32_t id) const noexcept { return table_.is_idle(id); }
  std::uint32_t newest() const noexcept { return table_.newest(); }
  std::size_t size() const noexcept { return table_.size(); }
  bool empty() const noexcept { return table_.empty(); }
  /// Returns the table, which lives as long as this object.
  const StreamTable& table() const noexcept { return table_; }

 private:
  using Pool = base::ObjectPool<Entry>;

  static Entry& own(Stream& stream) noexcept { return static_cast<Entry&>(stream); }

  StreamTable table_;
};

}  // namespace trunkline::http::http2
