// SPDX-License-Identifier: MIT
// The views by which typed messages cross the untyped runtime; with it, all types that are messages without more.
#pragma once

#include <trunkline/message_type.h>
#include <trunkline/plain_message.h>

namespace trunkline {

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
