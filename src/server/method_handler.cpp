// SPDX-License-Identifier: MIT
// MethodHandler: the functions that a handler has if it does not override them.
#include <trunkline/method_handler.h>

#include <utility>

namespace trunkline {

namespace {

Status no_such_form(const char* form) {
  return {StatusCode::internal, std::string("run handler: it has no ") + form + " form"};
}

}  // namespace

std::string_view to_string(MethodKind kind) noexcept {
  switch (kind) {
    case MethodKind::unary:
      return "unary";
    case MethodKind::client_stream:
      return "client_stream";
    case MethodKind::server_stream:
      return "server_stream";
    case MethodKind::bidirectional:
      return "bidirectional";
  }
  return "unknown";
}

MethodHandler::MethodHandler(MethodShape shape) : shape_(std::move(shape)) {}

MethodHandler::~MethodHandler() = default;

std::unique_ptr<CallMessages> MethodHandler::make_messages() const { return std::make_unique<CallMessages>(); }

Status MethodHandler::run(CallMessages&, ServerContext&) { return no_such_form("plain"); }

asio::awaitable<Status> MethodHandler::run_async(CallMessages&, ServerContext&) { co_return no_such_form("coroutine"); }

Status MethodHandler::run_stream(call::ServerStreamCore&, ServerContext&) { return no_such_form("blocking stream"); }

asio::awaitable<Status> MethodHandler::run_stream_async(call::ServerStreamCore&, ServerContext&) {
  co_return no_such_form("stream");
}

}  // namespace trunkline
