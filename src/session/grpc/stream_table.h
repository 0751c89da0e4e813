// SPDX-License-Identifier: MIT
// StreamTable: the streams of a connection that are not closed, and which ids have been used.
#pragma once

#include "base/object_pool.h"
#include "session/grpc/grpc_stream.h"
#include "session/id_table.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace trunkline::session::grpc {

/// Owns the streams. One of them may be fresh: it costs no entry until keep() is called, which a call that is answered
/// at once does not need.
class StreamTable {
 public:
  using Pool = base::ObjectPool<GrpcStream>;

  StreamTable() = default;
  ~StreamTable() {
    streams_.for_each([](GrpcStream& stream) { Pool::free(&stream); });
    if (fresh_ != nullptr) Pool::free(fresh_);
  }
  StreamTable(const StreamTable&) = delete;
  StreamTable& operator=(const StreamTable&) = delete;

  /// Opens a fresh stream, of which there must be none yet. `id` is above newest().
  template <class... Arguments>
  GrpcStream& open(CallId id, Arguments&&... arguments) {
    fresh_ = Pool::make(id, std::forward<Arguments>(arguments)...);
    newest_ = id;
    return *fresh_;
  }
  /// Opens a stream that has an entry at once. `id` is above newest().
  template <class... Arguments>
  GrpcStream& add(CallId id, Arguments&&... arguments) {
    streams_.make_room();
    GrpcStream* const stream = Pool::make(id, std::forward<Arguments>(arguments)...);
    streams_.insert(stream);
    newest_ = id;
    return *stream;
  }
  void note_id(CallId id) noexcept { newest_ = std::max(newest_, id); }
  GrpcStream* fresh() const noexcept { return fresh_; }
  /// The fresh stream gets an entry.
  void keep() {
    streams_.insert(fresh_);
    fresh_ = nullptr;
  }
  GrpcStream* find(CallId id) const noexcept {
    if (fresh_ != nullptr && fresh_->id == id) return fresh_;
    return streams_.find(id);
  }
  void forget(GrpcStream& stream) noexcept {
    if (&stream == fresh_) {
      fresh_ = nullptr;
    } else {
      streams_.erase(&stream);
    }
    Pool::free(&stream);
  }
  /// This side has reset the stream: frames that were on their way are ignored.
  void note_reset(CallId id) noexcept {
    // The entry is kept for the later one of two streams at the same place.
    CallId& entry = resets_[place(id)];
    entry = std::max(entry, id);
  }
  /// The peer has reset such a stream too, so nothing of it is on its way.
  void note_peer_reset(CallId id) noexcept {
    if (resets_[place(id)] == id) resets_[place(id)] = 0;
  }
  /// Frames on the closed stream may have been on their way when this side reset it. Of streams that are older than
  /// the last remembered_streams it is not known whether it has, so their frames are ignored too, as RFC 9113
  /// (section 5.1) permits.
  bool may_be_reset(CallId id) const noexcept {
    return resets_[place(id)] == id || (newest_ - id) / 2 >= remembered_streams;
  }

  /// No stream has had the id. Streams with even ids cannot be, because only a server may open them, and none does.
  bool is_idle(CallId id) const noexcept { return id > newest_ || id % 2 == 0; }
  CallId newest() const noexcept { return newest_; }
  std::size_t size() const noexcept { return streams_.size() + (fresh_ != nullptr ? 1 : 0); }
  bool empty() const noexcept { return size() == 0; }
  /// Returns the streams with an entry, oldest first.
  std::vector<GrpcStream*> by_age() const {
    return streams_.by_age(newest_, [](const GrpcStream&) { return true; });
  }

 private:
  static constexpr std::size_t remembered_streams = 128;
  static std::size_t place(CallId id) noexcept { return id / 2 % remembered_streams; }

  IdTable<GrpcStream> streams_;
  GrpcStream* fresh_ = nullptr;
  CallId newest_ = 0;
  /// Holds the streams that this side has reset, each at its place.
  std::array<CallId, remembered_streams> resets_{};
};

}  // namespace trunkline::session::grpc
