// SPDX-License-Identifier: MIT
// RawMessage, RawResponse: payloads that were encoded before the run, and answers that are looked at and let go.
#pragma once

#include <trunkline/codec.h>

#include <cstddef>
#include <cstdint>

namespace trunkline::load {

struct RawMessage {
  Slice bytes;
};

/// Holds no memory of the connection's: a payload that is kept would hold its read buffer.
struct RawResponse {
  std::size_t size = 0;
  /// What is to come; null: anything. Must outlive the response.
  const Slice* expected = nullptr;
  bool differs = false;
};

/// Those that pass raw messages as they are, under the names of the usual codecs.
CodecRegistry raw_codecs();

}  // namespace trunkline::load

template <>
struct trunkline::MessageTraits<trunkline::load::RawMessage> {
  static const MessageType& type();
  static const void* address(const load::RawMessage& message) noexcept { return &message; }
  static void* address(load::RawMessage& message) noexcept { return &message; }
};

template <>
struct trunkline::MessageTraits<trunkline::load::RawResponse> {
  static const MessageType& type();
  static const void* address(const load::RawResponse& message) noexcept { return &message; }
  static void* address(load::RawResponse& message) noexcept { return &message; }
};
