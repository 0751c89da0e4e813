// SPDX-License-Identifier: MIT
// Protobuf messages as Trunkline messages and as details of a Status. Header only: a program that does not include it
// needs no protobuf.
#pragma once

#include <trunkline/message.h>
#include <trunkline/status.h>

#include <google/protobuf/message_lite.h>

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace trunkline {

/// The untyped functions of every protobuf MessageType; the object is a google::protobuf::MessageLite.
struct ProtobufForm {
  static std::size_t size(const void* object) { return message(object).ByteSizeLong(); }
  static void write(const void* object, std::byte* out) {
    message(object).SerializeWithCachedSizesToArray(reinterpret_cast<std::uint8_t*>(out));
  }
  /// False also if a required field of proto2 is missing.
  static bool parse(void* object, ByteSpan payload) {
    auto& target = *static_cast<google::protobuf::MessageLite*>(object);
    if (payload.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) return false;
    // Not ParseFromArray, which prints when a required field is missing.
    return target.ParsePartialFromArray(payload.data(), static_cast<int>(payload.size())) && target.IsInitialized();
  }
  static void clear(void* object) { static_cast<google::protobuf::MessageLite*>(object)->Clear(); }

 private:
  static const google::protobuf::MessageLite& message(const void* object) {
    return *static_cast<const google::protobuf::MessageLite*>(object);
  }
};

/// Generated and dynamic messages. Parsing and clearing keep the memory of strings, bytes and repeated fields, so that
/// a message that is reused allocates nothing for contents of a size it has held before; singular message fields of
/// proto3 are freed by the generated code. The direct form does not check for missing required fields when writing (the
/// codec does).
template <class T>
struct MessageTraits<T, std::enable_if_t<std::is_base_of_v<google::protobuf::MessageLite, T>>> {
  static const MessageType& type() {
    static const MessageType value{.kind = MessageKind::protobuf,
                                   .type = &typeid(T),
                                   .default_codec = "protobuf",
                                   .direct_codec = "protobuf",
                                   .size = &ProtobufForm::size,
                                   .write = &ProtobufForm::write,
                                   .parse = &ProtobufForm::parse,
                                   .clear = &ProtobufForm::clear,
                                   .descriptor = descriptor_function()};
    return value;
  }
  static const void* address(const T& message) noexcept {
    return static_cast<const google::protobuf::MessageLite*>(&message);
  }
  static void* address(T& message) noexcept { return static_cast<google::protobuf::MessageLite*>(&message); }

 private:
  static auto descriptor_function() -> const void* (*)() {
    if constexpr (requires { T::descriptor(); }) return []() -> const void* { return T::descriptor(); };
    return nullptr;
  }
};

/// A message as a detail, as google.protobuf.Any packs it: "type.googleapis.com/<full name>" and the serialized
/// message.
inline StatusDetail pack_detail(const google::protobuf::MessageLite& message) {
  return {"type.googleapis.com/" + message.GetTypeName(), message.SerializePartialAsString()};
}

/// Adds the message to the status's details; does nothing to an ok status.
inline Status& add_detail(Status& status, const google::protobuf::MessageLite& message) {
  StatusDetail detail = pack_detail(message);
  return status.add_detail(std::move(detail.type_url), std::move(detail.value));
}

/// True if the detail is named as this message's type, whatever stands before the last slash of its URL.
inline bool is_detail_of(const StatusDetail& detail, const google::protobuf::MessageLite& message) {
  const std::string_view url = detail.type_url;
  const std::size_t slash = url.rfind('/');
  return slash != std::string_view::npos && url.substr(slash + 1) == message.GetTypeName();
}

/// Fills the message; false, with the message unspecified, if the detail is of another type or does not parse.
inline bool unpack_detail(const StatusDetail& detail, google::protobuf::MessageLite& message) {
  return is_detail_of(detail, message) && ProtobufForm::parse(&message, as_bytes(detail.value));
}

/// The first detail of type T that parses.
template <class T>
std::optional<T> find_detail(const Status& status) {
  for (const StatusDetail& detail : status.details()) {
    T message;
    if (unpack_detail(detail, message)) return message;
  }
  return std::nullopt;
}

}  // namespace trunkline
