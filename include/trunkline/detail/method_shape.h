// SPDX-License-Identifier: MIT
// method_shape(): the shape of a method from the types of its messages.
#pragma once

#include <trunkline/detail/structure.h>
#include <trunkline/message.h>
#include <trunkline/method_handler.h>
#include <trunkline/type_description.h>

#include <string>

namespace trunkline::detail {

/// Returns the name of a message type, as MethodInfo::request_type shows it.
template <class T>
std::string message_type_name() {
  const MessageType& type = MessageTraits<T>::type();
  if (type.kind == MessageKind::none) return {};
  if (type.kind == MessageKind::bytes) return "bytes";
  if (type.describe != nullptr) return to_string(type.describe());
  if constexpr (requires(const T& message) { std::string(message.GetTypeName()); }) {
    return std::string(T().GetTypeName());
  } else {
    return std::string(name_of_type<T>());
  }
}

/// Returns the shape of a method. It is compiled once for all handlers of the same messages.
template <class Request, class Response>
MethodShape method_shape(MethodKind kind, Execution execution, bool fills_response) {
  return {.kind = kind,
          .execution = execution,
          .fills_response = fills_response,
          .request = &MessageTraits<Request>::type(),
          .response = &MessageTraits<Response>::type(),
          .request_name = message_type_name<Request>(),
          .response_name = message_type_name<Response>()};
}

}  // namespace trunkline::detail
