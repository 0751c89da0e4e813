// SPDX-License-Identifier: MIT
// method_shape(): the shape of a method from the types of its messages.
#pragma once

#include <trunkline/message.h>
#include <trunkline/method_handler.h>
#include <trunkline/type_description.h>

#include <string>
#include <typeinfo>

namespace trunkline::detail {

/// As in MethodInfo::request_type.
template <class T>
std::string message_type_name() {
  const MessageType& type = MessageTraits<T>::type();
  if (type.kind == MessageKind::none) return {};
  if (type.kind == MessageKind::bytes) return "bytes";
  if (type.describe != nullptr) return to_string(type.describe());
  if constexpr (requires(const T& message) { std::string(message.GetTypeName()); }) {
    return std::string(T().GetTypeName());
  } else {
    return typeid(T).name();
  }
}

/// One function for all handlers of these messages, so that it is compiled once for them.
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
