// SPDX-License-Identifier: MIT
// MessageType, and the views through which typed messages pass the untyped runtime.
#pragma once

#include <trunkline/slice.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>

namespace trunkline {

struct TypeDescription;
class Value;

/// The argument or the result of a call that has none. It takes no bytes on the wire.
struct Empty {
  bool operator==(const Empty&) const = default;
};

/// The kind of a message type, by which a codec decides whether it supports the type.
enum class MessageKind : std::uint8_t {
  /// The type is Empty.
  none,
  /// The type is Slice or std::string, which is the payload itself.
  bytes,
  /// The type is trunkline::Value: JSON data without a schema.
  value,
  /// The type converts to a Value and back, see plain.h.
  plain,
  /// The type is a generated or dynamic protobuf message; the object is a google::protobuf::MessageLite.
  protobuf,
  /// The type is any other one, which its type_info identifies; it needs a user-defined codec.
  custom,
};

/// The functions with which the runtime handles one C++ type; there is one constant per type. size, write and parse are
/// the type's direct form: if the codec of the call is `direct_codec`, the runtime uses them instead of the codec and
/// makes no virtual call. They are null for types without a direct form.
struct MessageType {
  MessageKind kind = MessageKind::custom;
  const std::type_info* type = nullptr;
  /// The codec of calls that name none. If it is empty, the type has no default codec.
  std::string_view default_codec{};
  std::string_view direct_codec{};
  /// Returns the number of bytes that write() will write.
  std::size_t (*size)(const void* object) = nullptr;
  /// Writes the object. The runtime calls it right after size(), with room for exactly that many bytes.
  void (*write)(const void* object, std::byte* out) = nullptr;
  /// Replaces the content of the object. Returns false if the bytes are not a message of this type.
  bool (*parse)(void* object, ByteSpan payload) = nullptr;
  /// Resets the object to the default value, and keeps its memory for reuse.
  void (*clear)(void* object) = nullptr;
  /// If it is true, a message that the peer did not send counts as the default value, which clear() produces. If it is
  /// false, a missing message is an error.
  bool may_be_missing = false;
  /// These functions convert plain types and std::string to and from the Value that json and msgpack carry. They are
  /// null for other types. from_value() returns the error, or an empty string if the conversion succeeded.
  Value (*to_value)(const void* object) = nullptr;
  std::string (*from_value)(void* object, const Value& from) = nullptr;
  /// Returns the google::protobuf::Descriptor of a protobuf type. It is null for lite messages and all other kinds.
  const void* (*descriptor)() = nullptr;
  /// Returns the structure of a type without a .proto definition; null where it is unknown.
  const TypeDescription& (*describe)() = nullptr;
};

namespace detail {

/// Text that a message does not own, such as "world": a T that a call deduces from it.
template <class T>
inline constexpr bool is_borrowed = std::is_array_v<T> || std::is_pointer_v<T> || std::is_same_v<T, std::string_view>;

template <class T>
concept NamesItsCodec = requires {
  std::string_view(T::trunkline_codec);
};

}  // namespace detail

/// Specialize it for your own type: `static const MessageType& type();`. The primary template makes a type that names
/// its codec a custom message: T::trunkline_codec is the name under which the codec is registered. An empty name stands
/// for a codec that each call names, in CallOptions::codec.
template <class T, class = void>
struct MessageTraits {
  static_assert(!detail::is_borrowed<T>,
                "trunkline: a message owns its bytes. Pass a std::string instead of a string literal, a pointer or a "
                "std::string_view, such as call<std::string>(\"greet\", std::string(\"world\"))");
  static_assert(
      detail::is_borrowed<T> || detail::NamesItsCodec<T>,
      "trunkline: this type is no message here. Include <trunkline/plain.h> for numbers, containers and structs "
      "of them, or <trunkline/protobuf.h> for messages of protobuf. A type with a codec of its own names it in "
      "a static member trunkline_codec");

  static const MessageType& type() {
    static const MessageType value = [] {
      MessageType made{.kind = MessageKind::custom, .type = &typeid(T)};
      if constexpr (detail::NamesItsCodec<T>) {
        made.default_codec = T::trunkline_codec;
        made.clear = [](void* object) { *static_cast<T*>(object) = T(); };
      }
      return made;
    }();
    return value;
  }
  static const void* address(const T& message) noexcept { return &message; }
  static void* address(T& message) noexcept { return &message; }
};

template <>
struct MessageTraits<Empty> {
  static TRUNKLINE_API const MessageType& type();
  static const void* address(const Empty& message) noexcept { return &message; }
  static void* address(Empty& message) noexcept { return &message; }
};

template <>
struct MessageTraits<Slice> {
  static TRUNKLINE_API const MessageType& type();
  static const void* address(const Slice& message) noexcept { return &message; }
  static void* address(Slice& message) noexcept { return &message; }
};

template <>
struct MessageTraits<std::string> {
  static TRUNKLINE_API const MessageType& type();
  static const void* address(const std::string& message) noexcept { return &message; }
  static void* address(std::string& message) noexcept { return &message; }
};

/// A borrowed message to be encoded. The members of a view of a message are never null.
struct MessageView {
  const MessageType* type = nullptr;
  const void* object = nullptr;

  template <class T>
  static MessageView of(const T& message) {
    return {&MessageTraits<T>::type(), MessageTraits<T>::address(message)};
  }
  /// Returns the object if its type is exactly T, otherwise null. Do not call it for protobuf messages, whose object is
  /// the MessageLite base.
  template <class T>
  const T* as() const noexcept {
    return *type->type == typeid(T) ? static_cast<const T*>(object) : nullptr;
  }
};

/// A borrowed message to be decoded into.
struct MutableMessageView {
  const MessageType* type = nullptr;
  void* object = nullptr;

  template <class T>
  static MutableMessageView of(T& message) {
    return {&MessageTraits<T>::type(), MessageTraits<T>::address(message)};
  }
  template <class T>
  T* as() const noexcept {
    return *type->type == typeid(T) ? static_cast<T*>(object) : nullptr;
  }
};

}  // namespace trunkline
