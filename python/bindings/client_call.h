// SPDX-License-Identifier: MIT
// ClientCall: one unary or one-way call that Python has begun.
#pragma once

#include "completion.h"
#include "message_bytes.h"
#include "settings.h"

#include <trunkline/channel.h>

#include <asio/cancellation_signal.hpp>

#include <cstdint>
#include <string_view>

namespace trunkline::python {

/// Says what the caller expects the server to send.
enum class Expects : std::uint8_t {
  /// A response is required. A call without one ends with unimplemented.
  response,
  /// A response may be missing, since the method may have no result.
  response_or_none,
  /// The call is one-way.
  nothing,
};

class ClientCall : public Completion {
 public:
  explicit ClientCall(std::shared_ptr<Pump> pump) noexcept : Completion(std::move(pump)) {}

  /// Encodes the request and begins the call. `settings` may be null for defaults. May be called with or without the
  /// GIL; `request` is not needed afterwards.
  void begin(Channel& channel, const Method& method, const Payload& request, const CallSettings* settings,
             Expects expects);
  /// Returns the bytes of the response (none if it is missing and may be, None for one-way calls), or an RpcError.
  py::object outcome() override;
  void cancel() override { signal_.emit(asio::cancellation_type::all); }

  const ResponseInfo& reply() const noexcept { return reply_; }

 private:
  struct Handler;

  RequiredPayload response_;
  /// The codec of the request and of the response.
  std::string_view codec_;
  Status status_;
  ResponseInfo reply_;
  Expects expects_ = Expects::response;
  asio::cancellation_signal signal_;
};

/// Raises `value` if it is an exception, otherwise returns it.
py::object value_or_raise(py::object outcome);

}  // namespace trunkline::python
