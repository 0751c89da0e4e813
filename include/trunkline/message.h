// SPDX-License-Identifier: MIT
// MessageType and the views by which typed messages cross the untyped runtime.
#pragma once

#include <trunkline/slice.h>

#include <string>
#include <string_view>
#include <typeinfo>

namespace trunkline {

struct TypeDescription;
class Value;

/// No message at all: the argument or the result of a call that has none. Costs no bytes on the wire.
struct Empty {
  bool operator==(const Empty&) const = default;
};

/// What codecs tell messages apart by.
enum class MessageKind : std::uint8_t {
  none,      ///< Empty
  bytes,     ///< Slice or std::string: the payload itself
  value,     ///< trunkline::Value: JSON data without a schema
  plain,     ///< a type that becomes a Value and is made of one, see plain.h
  protobuf,  ///< a generated or dynamic protobuf message; the object is a google::protobuf::MessageLite
  custom,    ///< any other type, told apart by type_info; needs a codec of the user's
};

/// How the runtime handles one C++ type; one constant per type. The three functions are its direct form, used without
/// a virtual call when the call's codec is `direct_codec`; they are null where there is none.
struct MessageType {
  MessageKind kind = MessageKind::custom;
  const std::type_info* type = nullptr;
  /// The codec used when a call names none; empty if the type has no usual one.
  std::string_view default_codec{};
  std::string_view direct_codec{};
  /// Bytes that write() will write.
  std::size_t (*size)(const void* object) = nullptr;
  /// Called right after size() on the unchanged object, with room for exactly that many bytes.
  void (*write)(const void* object, std::byte* out) = nullptr;
  /// Replaces the object's content; false if the bytes are not a message of this type.
  bool (*parse)(void* object, ByteSpan payload) = nullptr;
  /// Back to the default value, keeping memory for reuse.
  void (*clear)(void* object) = nullptr;
  /// A message that the peer did not send stands for the default value, which clear() makes; otherwise it is an error.
  bool may_be_missing = false;
  /// Plain types and std::string, which json and msgpack carry as this Value; null otherwise. from_value() returns what
  /// is wrong with the value, nothing if it fits.
  Value (*to_value)(const void* object) = nullptr;
  std::string (*from_value)(void* object, const Value& from) = nullptr;
  /// Protobuf: the type's google::protobuf::Descriptor. Null for lite messages and all other kinds.
  const void* (*descriptor)() = nullptr;
  /// Types without a definition: what they are made of. Null where that is not known.
  const TypeDescription& (*describe)() = nullptr;
};

/// Specialize for a type of your own: `static const MessageType& type();`. The primary template makes any type a custom
/// message that needs a codec registered under CallOptions::codec, or under T::trunkline_codec where the type names
/// one.
template <class T, class = void>
struct MessageTraits {
  static const MessageType& type() {
    static const MessageType value = [] {
      MessageType made{.kind = MessageKind::custom, .type = &typeid(T)};
      if constexpr (requires { std::string_view(T::trunkline_codec); }) made.default_codec = T::trunkline_codec;
      made.clear = [](void* object) { *static_cast<T*>(object) = T(); };
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

/// A borrowed message to be encoded. Never null.
struct MessageView {
  const MessageType* type = nullptr;
  const void* object = nullptr;

  template <class T>
  static MessageView of(const T& message) {
    return {&MessageTraits<T>::type(), MessageTraits<T>::address(message)};
  }
  /// The object if it is exactly a T, else null. Not for protobuf messages, whose object is the MessageLite base.
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
