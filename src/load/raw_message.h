// SPDX-License-Identifier: MIT
// RawMessage, RawResponse: payloads that were encoded before the run, and answers that are looked at and let go.
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

/// Holds no memory of the connection's: a payload that is kept would hold its read buffer.
struct RawResponse {
  std::size_t size = 0;
  /// What is to come; null: anything. Must outlive the response.
  const Slice* expected = nullptr;
  bool differs = false;
};

/// Names of the codecs below, by number.
inline constexpr std::array<std::string_view, 4> raw_codec_names{"bytes", "protobuf", "json", "msgpack"};

/// Those that pass raw messages as they are, under these names.
CodecRegistry raw_codecs();

/// The same messages as types whose direct form is that of a codec: what another codec encodes is first put into memory
/// of its own.
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
