// SPDX-License-Identifier: MIT
// MethodHandler: one registered method as the server's runtime sees it, whatever form its handler has.
#pragma once

#include <trunkline/message.h>
#include <trunkline/result.h>
#include <trunkline/server_context.h>
#include <trunkline/type_description.h>

#include <asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <typeinfo>

namespace trunkline {

namespace call {
class ServerStreamCore;
}

enum class MethodKind : std::uint8_t { unary, client_stream, server_stream, bidirectional };

TRUNKLINE_API std::string_view to_string(MethodKind kind) noexcept;

struct MethodOptions {
  std::size_t max_concurrent_calls =
      0;  ///< of this method, over all connections; more are refused with resource_exhausted; 0: no limit
  bool blocking = false;    ///< handle(): as handle_blocking(); not for coroutines
  bool idempotent = false;  ///< told to those who list the methods; the server itself repeats nothing
  /// What the method does, for people: lines of UTF-8 without control characters but \n and \t. Reflection tells
  /// it as the method's comment.
  std::string description{};
};

/// What methods() tells of one method.
struct MethodInfo {
  std::string name;
  MethodKind kind = MethodKind::unary;
  std::string request_type{};  ///< protobuf: the full name; "bytes" for Slice and std::string; empty for Empty
  std::string response_type{};
  bool idempotent = false;
  const MessageType* request = nullptr;
  const MessageType* response = nullptr;
  std::string description{};          ///< MethodOptions::description
  std::string service_description{};  ///< ServiceDefinition::describe()
};

/// Where a handler runs.
enum class Execution : std::uint8_t {
  plain,      ///< on the loop, to its end
  coroutine,  ///< on the loop, may suspend
  blocking,   ///< on a worker thread
};

/// What the runtime must know of a handler; constant.
struct MethodShape {
  MethodKind kind = MethodKind::unary;
  Execution execution = Execution::plain;
  bool fills_response = false;  ///< the handler writes into a response that must be cleared before
  const MessageType* request = nullptr;
  const MessageType* response = nullptr;
  std::string request_name;
  std::string response_name;
};

/// The request and response of one unary call; kept and reused by the loop. The request is decoded into `request`.
class CallMessages {
 public:
  virtual ~CallMessages() = default;
  MutableMessageView request;
  MutableMessageView response;
};

/// Made by Server's templates. The functions are called concurrently if the server has several loops or workers; the
/// one that fits shape() is called, the others never. They may throw: the exception ends just this call.
class TRUNKLINE_API MethodHandler {
 public:
  explicit MethodHandler(MethodShape shape);
  virtual ~MethodHandler();
  MethodHandler(const MethodHandler&) = delete;
  MethodHandler& operator=(const MethodHandler&) = delete;

  const MethodShape& shape() const noexcept { return shape_; }

  /// Unary methods.
  virtual std::unique_ptr<CallMessages> make_messages() const;
  virtual Status run(CallMessages& messages, ServerContext& context);
  virtual asio::awaitable<Status> run_async(CallMessages& messages, ServerContext& context);

  /// The others.
  virtual Status run_stream(call::ServerStreamCore& stream, ServerContext& context);
  virtual asio::awaitable<Status> run_stream_async(call::ServerStreamCore& stream, ServerContext& context);

 private:
  MethodShape shape_;
};

/// As in MethodInfo.
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

namespace handlers {

/// The same for all handlers of these messages, so that it is compiled once for them.
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

}  // namespace handlers

}  // namespace trunkline
