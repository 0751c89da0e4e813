// SPDX-License-Identifier: MIT
// Reflected: a protobuf message together with its type.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <type_traits>

namespace trunkline::codec {

/// A pair that refers to a message. `Message` is google::protobuf::Message, const or not. A message costs a hundred
/// instructions each time that it is asked for its type.
template <class Message>
struct Reflected {
  static_assert(std::is_same_v<std::remove_const_t<Message>, google::protobuf::Message>);

  // The constructor is implicit, so that a field that is a message can be passed on as it comes.
  Reflected(Message& of)  // NOLINT(google-explicit-constructor)
      : message(of), type(*of.GetDescriptor()), access(*of.GetReflection()) {}

  Message& message;
  const google::protobuf::Descriptor& type;
  const google::protobuf::Reflection& access;
};

}  // namespace trunkline::codec
