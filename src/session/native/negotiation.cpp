// SPDX-License-Identifier: MIT
// Matches names between the two sides.
#include "session/native/negotiation.h"

#include <algorithm>

namespace trunkline::session::native {

namespace {

void release(std::vector<std::string>& names) noexcept { std::vector<std::string>().swap(names); }

/// Returns the objects of these names, with null for those that are not known. A quiet connection should hold little
/// memory, so the names are retained only if one of them is not known and may be needed in an error.
template <class T, class Registry>
std::vector<const T*> look_up(std::vector<std::string>& names, const Registry& registry) {
  std::vector<const T*> found;
  found.reserve(names.size());
  for (const std::string& name : names) found.push_back(registry.find(name));
  if (std::find(found.begin(), found.end(), nullptr) == found.end()) release(names);
  return found;
}

}  // namespace

Negotiation::Negotiation(Role role, const SessionOptions& options) : role_(role), options_(&options) {}

wire::Hello Negotiation::local_hello() const {
  const ConnectionLimits& limits = options_->limits;
  wire::Hello hello;
  hello.max_frame_bytes = limits.max_frame_bytes;
  hello.max_message_bytes = limits.max_message_bytes;
  hello.connection_credit = limits.connection_credit_bytes;
  hello.call_credit = limits.call_credit_bytes;
  hello.max_header_bytes = limits.max_header_bytes;
  if (role_ == Role::server) {
    hello.max_concurrent_calls = options_->max_concurrent_calls;
    hello.max_methods = limits.max_methods;
  } else {
    hello.ordered = options_->ordered;
  }
  for (const auto& codec : options_->codecs->codecs()) hello.codecs.emplace_back(codec->name());
  for (const auto& compressor : options_->compressors->compressors())
    hello.compressors.emplace_back(compressor->name());
  return hello;
}

void Negotiation::apply(wire::Hello peer) {
  peer_ = std::move(peer);
  complete_ = true;
  peer_codecs_ = look_up<Codec>(peer_.codecs, *options_->codecs);
  peer_compressors_ = look_up<Compressor>(peer_.compressors, *options_->compressors);
  const auto& compressors = options_->compressors->compressors();
  for (std::size_t i = 0; i < compressors.size(); ++i) {
    if (peer_accepts(*compressors[i])) accepted_compressors_.insert(i);
  }
  release(peer_.features);
}

std::size_t Negotiation::header_room() const noexcept {
  // The frame's header and the shortest chunk of a queued message need this much room.
  constexpr std::size_t rest_of_frame = 64 + 4096;
  return std::min<std::size_t>(
      {peer_.max_header_bytes, peer_.max_frame_bytes - rest_of_frame, peer_.connection_credit / 2 - rest_of_frame});
}

std::uint8_t Negotiation::number_of(const Compressor& compressor) const noexcept {
  const auto& list = options_->compressors->compressors();
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].get() == &compressor) return static_cast<std::uint8_t>(i + 1);
  }
  return 0;
}

bool Negotiation::peer_accepts(const Codec& codec) const noexcept {
  if (!complete_) return true;
  return std::find(peer_codecs_.begin(), peer_codecs_.end(), &codec) != peer_codecs_.end();
}

bool Negotiation::peer_accepts(const Compressor& compressor) const noexcept {
  return std::find(peer_compressors_.begin(), peer_compressors_.end(), &compressor) != peer_compressors_.end();
}

}  // namespace trunkline::session::native
