// SPDX-License-Identifier: MIT
// Negotiation: both hellos of a native connection, and the numbers they give to codecs and compressors.
#pragma once

#include "session/compressor_set.h"
#include "session/session_options.h"
#include "wire/hello.h"

#include <trunkline/codec.h>
#include <trunkline/compressor.h>

#include <cstdint>
#include <vector>

namespace trunkline::session::native {

class Negotiation {
 public:
  Negotiation(Role role, const SessionOptions& options);

  /// Returns the hello of this side.
  wire::Hello local_hello() const;
  /// The peer's hello has been read.
  void apply(wire::Hello peer);
  bool is_complete() const noexcept { return complete_; }
  /// Returns the peer's limits, not its lists: the early ones (docs/wire.md, section 3) until its hello has been read.
  const wire::Hello& peer() const noexcept { return peer_; }
  /// Returns what the fields of a header block may take: within the peer's limits, and never so much that the frame
  /// could wait for ever for credit that comes half a window at a time.
  std::size_t header_room() const noexcept;
  bool is_ordered() const noexcept { return role_ == Role::client ? options_->ordered : peer_.ordered; }

  /// Returns the number of a codec in this side's list, or 0 if it is not in the list.
  std::uint8_t number_of(const Codec& codec) const noexcept {
    const auto& list = options_->codecs->codecs();
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i].get() == &codec) return static_cast<std::uint8_t>(i + 1);
    }
    return 0;
  }
  std::uint8_t number_of(const Compressor& compressor) const noexcept;
  /// Returns false if the peer's list has no such number, which is a connection error.
  bool is_peer_codec(std::uint8_t number) const noexcept { return number >= 1 && number <= peer_codecs_.size(); }
  bool is_peer_compressor(std::uint8_t number) const noexcept {
    return number >= 1 && number <= peer_compressors_.size();
  }
  /// Returns the codec with a number of the peer's list, or null if this side has none of that name.
  const Codec* peer_codec(std::uint8_t number) const noexcept { return peer_codecs_[number - 1u]; }
  const Compressor* peer_compressor(std::uint8_t number) const noexcept { return peer_compressors_[number - 1u]; }
  /// Returns peer_codec(), or null if the number is not in the peer's list.
  const Codec* known_codec(std::uint8_t number) const noexcept {
    return is_peer_codec(number) ? peer_codec(number) : nullptr;
  }
  /// These return the name of a number of the peer's list for which this side has no codec or compressor.
  const std::string& unknown_codec(std::uint8_t number) const noexcept { return peer_.codecs[number - 1u]; }
  const std::string& unknown_compressor(std::uint8_t number) const noexcept { return peer_.compressors[number - 1u]; }

  /// A codec may be used before the peer's hello has been read; a compressor only after the peer has named it.
  bool peer_accepts(const Codec& codec) const noexcept;
  bool peer_accepts(const Compressor& compressor) const noexcept;
  /// Returns the compressors of SessionOptions that the peer has named in its hello.
  CompressorSet accepted_compressors() const noexcept { return accepted_compressors_; }

 private:
  Role role_;
  const SessionOptions* options_;
  bool complete_ = false;
  /// The lists of the peer's hello are emptied, unless they have a name that this side does not know.
  wire::Hello peer_;
  std::vector<const Codec*> peer_codecs_;
  std::vector<const Compressor*> peer_compressors_;
  CompressorSet accepted_compressors_;
};

}  // namespace trunkline::session::native
