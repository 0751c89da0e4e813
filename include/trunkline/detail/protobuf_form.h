// SPDX-License-Identifier: MIT
// ProtobufForm: the functions of a MessageType for protobuf messages.
#pragma once

#include <trunkline/slice.h>

#include <google/protobuf/message_lite.h>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace trunkline::detail {

/// The untyped functions that all protobuf MessageTypes share; the object is a google::protobuf::MessageLite.
struct ProtobufForm {
  static std::size_t size(const void* object) { return message(object).ByteSizeLong(); }
  static void write(const void* object, std::byte* out) {
    message(object).SerializeWithCachedSizesToArray(reinterpret_cast<std::uint8_t*>(out));
  }
  /// Parses a message. Returns false if the bytes do not parse or a required field of proto2 is missing.
  static bool parse(void* object, ByteSpan payload) {
    auto& target = *static_cast<google::protobuf::MessageLite*>(object);
    if (payload.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) return false;
    // ParseFromArray would print a message when a required field is missing.
    return target.ParsePartialFromArray(payload.data(), static_cast<int>(payload.size())) && target.IsInitialized();
  }
  static void clear(void* object) { static_cast<google::protobuf::MessageLite*>(object)->Clear(); }

 private:
  static const google::protobuf::MessageLite& message(const void* object) {
    return *static_cast<const google::protobuf::MessageLite*>(object);
  }
};

}  // namespace trunkline::detail
