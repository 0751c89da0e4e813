// SPDX-License-Identifier: MIT
// Negotiation: both hellos of a native connection, and the numbers they give to codecs and compressors.
#pragma once

#include "session/session_options.h"
#include "wire/hello.h"

#include <trunkline/codec.h>
#include <trunkline/compressor.h>

#include <cstdint>
#include <vector>

namespace trunkline::session {

class Negotiation {
 public:
  Negotiation(Role role, const SessionOptions& options);

  /// What this side says of itself.
  wire::Hello local_hello() const;
  /// The peer's has come.
  void apply(wire::Hello peer);
  bool is_complete() const noexcept { return complete_; }
  /// The peer's limits, not its lists; the early ones until its hello has come.
  const wire::Hello& peer() const noexcept { return peer_; }
  bool is_ordered() const noexcept { return role_ == Role::client ? options_->ordered : peer_.ordered; }

  /// The number of a codec in this side's list; 0 if it is not there.
  std::uint8_t number_of(const Codec& codec) const noexcept {
    const auto& list = options_->codecs->codecs();
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i].get() == &codec) return static_cast<std::uint8_t>(i + 1);
    }
    return 0;
  }
  std::uint8_t number_of(const Compressor& compressor) const noexcept;
  /// False: the peer's list has no such number, which is a connection error.
  bool is_peer_codec(std::uint8_t number) const noexcept { return number >= 1 && number <= peer_codecs_.size(); }
  bool is_peer_compressor(std::uint8_t number) const noexcept {
    return number >= 1 && number <= peer_compressors_.size();
  }
  /// What a number of the peer's stands for here; null: a name this side does not have.
  const Codec* peer_codec(std::uint8_t number) const noexcept { return peer_codecs_[number - 1u]; }
  const Compressor* peer_compressor(std::uint8_t number) const noexcept { return peer_compressors_[number - 1u]; }
  /// As peer_codec(), and null for a number that is not in the peer's list.
  const Codec* known_codec(std::uint8_t number) const noexcept {
    return is_peer_codec(number) ? peer_codec(number) : nullptr;
  }
  /// What the peer calls a number of its list that stands for nothing here.
  const std::string& strange_codec(std::uint8_t number) const noexcept { return peer_.codecs[number - 1u]; }
  const std::string& strange_compressor(std::uint8_t number) const noexcept { return peer_.compressors[number - 1u]; }

  /// A codec may be tried before the hello has come; a compressor only if the peer has named it.
  bool peer_accepts(const Codec& codec) const noexcept;
  bool peer_accepts(const Compressor& compressor) const noexcept;

 private:
  Role role_;
  const SessionOptions* options_;
  bool complete_ = false;
  wire::Hello peer_;  ///< of its lists those with a name that this side does not have
  std::vector<const Codec*> peer_codecs_;
  std::vector<const Compressor*> peer_compressors_;
};

}  // namespace trunkline::session
