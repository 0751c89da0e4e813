// SPDX-License-Identifier: MIT
// ClientCall: one unary or one-way call that Python has begun.
#pragma once

#include "completion.h"
#include "message_bytes.h"
#include "settings.h"

#include <trunkline/channel.h>

#include <asio/cancellation_signal.hpp>

#include <string_view>

namespace trunkline::python {

class ClientCall : public Completion {
 public:
  explicit ClientCall(std::shared_ptr<Pump> pump) noexcept : Completion(std::move(pump)) {}

  /// Encodes the request and begins the call. `settings` may be null for defaults. With or without the GIL; `request`
  /// is not needed afterwards.
  void begin(Channel& channel, const Method& method, const Payload& request, const CallSettings* settings,
             bool one_way);
  /// The bytes of the response (None for one-way calls), or an RpcError.
  py::object outcome() override;
  void cancel() override { signal_.emit(asio::cancellation_type::all); }

  const ResponseInfo& reply() const noexcept { return reply_; }

 private:
  struct Handler;

  Payload response_;
  /// The codec of the request, which is also that of the response.
  std::string_view codec_;
  Status status_;
  ResponseInfo reply_;
  bool one_way_ = false;
  asio::cancellation_signal signal_;
};

/// Raises `value` if it is an exception, otherwise returns it.
py::object value_or_raise(py::object outcome);

}  // namespace trunkline::python
