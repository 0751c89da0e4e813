// SPDX-License-Identifier: MIT
// Reflected: a protobuf message beside what its type says of it.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <type_traits>

namespace trunkline::codec {

/// `Message`: google::protobuf::Message, const or not. A message costs a hundred instructions each time that it is
/// asked for its type. Refers to the message.
template <class Message>
struct Reflected {
  static_assert(std::is_same_v<std::remove_const_t<Message>, google::protobuf::Message>);

  // Implicit, so that a field that is a message can be passed on as it comes.
  Reflected(Message& of)  // NOLINT(google-explicit-constructor)
      : message(of), type(*of.GetDescriptor()), access(*of.GetReflection()) {}

  Message& message;
  const google::protobuf::Descriptor& type;
  const google::protobuf::Reflection& access;
};

}  // namespace trunkline::codec
