// SPDX-License-Identifier: MIT
// Plain types as messages: structs, numbers and containers, without a .proto definition.
#pragma once

#include <trunkline/detail/from_value.h>
#include <trunkline/detail/to_value.h>
#include <trunkline/message.h>

#include <type_traits>
#include <utility>

namespace trunkline {

/// A type that is sent without a .proto definition: bool, integers, float, double, enumerations (sent as numbers),
/// std::string, std::vector<std::byte> (bytes), Value; std::optional, std::array, lists, sets and maps from std::string
/// of these; and structs of these. A struct is an aggregate of at most 24 members without base classes, C arrays and
/// bit fields, or a class that is given to TRUNKLINE_FIELDS.
template <class T>
concept PlainType = detail::is_plain<T>();

/// A PlainType that is a message by this header. Other headers define messages already: message.h, value.h, protobuf.h;
/// and a type may name its own codec.
template <class T>
concept PlainMessage = PlainType<T> && !std::is_same_v<T, Value> && !std::is_same_v<T, std::string> &&
                       !std::is_same_v<T, Empty> && !std::is_same_v<T, Slice> && !requires {
  T::trunkline_codec;
};

/// Makes any PlainType a request, a response or an element of a stream. It is sent in MessagePack unless the call names
/// "json". A struct is sent as an object of its fields by name. A field that the peer did not send gets the value that
/// it has in a new object, as in Python; fields that this side does not know are skipped. Numbers are checked for their
/// range. An error names the place, e.g. "/points/3/x". Dataclasses and similar types of Python with the same names are
/// the same messages.
///
/// Include this header wherever such a type is used as a message: without it the type has no codec.
template <PlainMessage T>
struct MessageTraits<T, void> {
  static const MessageType& type() {
    static const MessageType value{
        .kind = MessageKind::plain,
        .type = &typeid(T),
        .default_codec = "msgpack",
        .clear = [](void* object) { *static_cast<T*>(object) = T(); },
        .to_value = [](const void* object) { return detail::to_value(*static_cast<const T*>(object)); },
        .from_value =
            [](void* object, const Value& from) {
              detail::ConversionError error;
              if (detail::from_value(from, *static_cast<T*>(object), error)) return std::string();
              return error.text();
            },
        .describe = &detail::describe<T>};
    return value;
  }
  static const void* address(const T& message) noexcept { return &message; }
  static void* address(T& message) noexcept { return &message; }
};

}  // namespace trunkline
