// SPDX-License-Identifier: MIT
// RawMessage: a payload that was encoded before the run. RawResponse: a response that is compared and dropped.
#pragma once

#include <trunkline/codec.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trunkline::load {

struct RawMessage {
  Slice bytes;
};

/// A response without its payload, because that would keep the read buffer of the connection allocated.
struct RawResponse {
  std::size_t size = 0;
  /// The expected payload, which must outlive the response. Null: any payload is accepted.
  const Slice* expected = nullptr;
  bool differs = false;
};

/// The names of the codecs below, in the order of their numbers.
inline constexpr std::array<std::string_view, 4> raw_codec_names{"bytes", "protobuf", "json", "msgpack"};

/// Returns codecs with these names that pass raw messages through unchanged.
CodecRegistry raw_codecs();

/// A RawMessage as a type with a direct form for codec `Number`. Without a direct form, a message would be copied into
/// memory of its own before it is sent.
template <std::size_t Number>
struct RequestIn {
  const RawMessage& message;
};
template <std::size_t Number>
struct ResponseIn {
  RawResponse message;
};

const MessageType& raw_request_type(std::size_t codec);
const MessageType& raw_response_type(std::size_t codec);

}  // namespace trunkline::load

template <>
struct trunkline::MessageTraits<trunkline::load::RawMessage> {
  static const MessageType& type() { return load::raw_request_type(0); }
  static const void* address(const load::RawMessage& message) noexcept { return &message; }
  static void* address(load::RawMessage& message) noexcept { return &message; }
};

template <>
struct trunkline::MessageTraits<trunkline::load::RawResponse> {
  static const MessageType& type() { return load::raw_response_type(0); }
  static const void* address(const load::RawResponse& message) noexcept { return &message; }
  static void* address(load::RawResponse& message) noexcept { return &message; }
};

template <std::size_t Number>
struct trunkline::MessageTraits<trunkline::load::RequestIn<Number>> {
  static const MessageType& type() {
    static const MessageType& value = load::raw_request_type(Number);
    return value;
  }
  static const void* address(const load::RequestIn<Number>& request) noexcept { return &request.message; }
};

template <std::size_t Number>
struct trunkline::MessageTraits<trunkline::load::ResponseIn<Number>> {
  static const MessageType& type() {
    static const MessageType& value = load::raw_response_type(Number);
    return value;
  }
  static void* address(load::ResponseIn<Number>& response) noexcept { return &response.message; }
};
