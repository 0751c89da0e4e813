// SPDX-License-Identifier: MIT
// Protobuf messages as Trunkline messages and as details of a Status. Header only: a program that does not include it
// does not need protobuf.
#pragma once

#include <trunkline/detail/protobuf_form.h>
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

/// The traits of generated and dynamic messages. Parsing and clearing keep the memory of strings, bytes and repeated
/// fields, so a reused message allocates nothing for contents of a size that it has held before; the generated code
/// frees singular message fields of proto3. The direct form does not check for missing required fields when it writes;
/// the codec does.
template <class T>
struct MessageTraits<T, std::enable_if_t<std::is_base_of_v<google::protobuf::MessageLite, T>>> {
  static const MessageType& type() {
    static const MessageType value{.kind = MessageKind::protobuf,
                                   .type = &typeid(T),
                                   .default_codec = "protobuf",
                                   .direct_codec = "protobuf",
                                   .size = &detail::ProtobufForm::size,
                                   .write = &detail::ProtobufForm::write,
                                   .parse = &detail::ProtobufForm::parse,
                                   .clear = &detail::ProtobufForm::clear,
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

/// Returns a detail that holds the message as google.protobuf.Any packs it: "type.googleapis.com/<full name>" and the
/// serialized message.
inline StatusDetail pack_detail(const google::protobuf::MessageLite& message) {
  return {"type.googleapis.com/" + message.GetTypeName(), message.SerializePartialAsString()};
}

/// Adds the message to the details of the status; does nothing if the status is ok.
inline Status& add_detail(Status& status, const google::protobuf::MessageLite& message) {
  StatusDetail detail = pack_detail(message);
  return status.add_detail(std::move(detail.type_url), std::move(detail.value));
}

/// Returns true if the type URL of the detail names the type of `message`, whatever precedes its last slash.
inline bool is_detail_of(const StatusDetail& detail, const google::protobuf::MessageLite& message) {
  const std::string_view url = detail.type_url;
  const std::size_t slash = url.rfind('/');
  return slash != std::string_view::npos && url.substr(slash + 1) == message.GetTypeName();
}

/// Parses the detail into `message`. Returns false, with `message` unspecified, if the detail is of another type or
/// does not parse.
inline bool unpack_detail(const StatusDetail& detail, google::protobuf::MessageLite& message) {
  return is_detail_of(detail, message) && detail::ProtobufForm::parse(&message, as_bytes(detail.value));
}

/// Returns the first detail of type T that parses; nullopt if there is none.
template <class T>
std::optional<T> find_detail(const Status& status) {
  for (const StatusDetail& detail : status.details()) {
    T message;
    if (unpack_detail(detail, message)) return message;
  }
  return std::nullopt;
}

}  // namespace trunkline
