// SPDX-License-Identifier: MIT
// Plain types as messages: structs, numbers, containers, without a definition.
#pragma once

#include <trunkline/message.h>
#include <trunkline/plain_reading.h>
#include <trunkline/plain_value.h>

#include <type_traits>
#include <utility>

namespace trunkline {

/// What is a message by itself already stays what it is: see message.h, value.h, protobuf.h, and types that name a
/// codec.
template <class T>
concept PlainMessage = PlainType<T> && !std::is_same_v<T, Value> && !std::is_same_v<T, std::string> &&
                       !std::is_same_v<T, Empty> && !std::is_same_v<T, Slice> && !requires {
  T::trunkline_codec;
};

/// Any PlainType as a request, a response or an element of a stream: in MessagePack unless a call names "json". A
/// struct is an object of its fields by their names. Fields that the peer has not sent are an error unless they are
/// std::optional; those that this side does not know are skipped. Numbers are checked for their range; an error says
/// where it is, as
/// "/points/3/x". Python's dataclasses and the like with the same names are the same messages.
///
/// Include this wherever such a type is used as a message: without it the type has no codec.
template <PlainMessage T>
struct MessageTraits<T, void> {
  static const MessageType& type() {
    static const MessageType value{
        .kind = MessageKind::plain,
        .type = &typeid(T),
        .default_codec = "msgpack",
        .clear = [](void* object) { *static_cast<T*>(object) = T(); },
        .to_value = [](const void* object) { return plain::to_value(*static_cast<const T*>(object)); },
        .from_value =
            [](void* object, const Value& from) {
              plain::Misfit misfit;
              if (plain::from_value(from, *static_cast<T*>(object), misfit)) return std::string();
              return misfit.text();
            },
        .describe = &plain::describe<T>};
    return value;
  }
  static const void* address(const T& message) noexcept { return &message; }
  static void* address(T& message) noexcept { return &message; }
};

}  // namespace trunkline
