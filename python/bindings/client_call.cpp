// SPDX-License-Identifier: MIT
// ClientCall: how a call begins and ends.
#include "client_call.h"

#include <memory>
#include <utility>

namespace trunkline::python {

struct ClientCall::Handler {
  using cancellation_slot_type = asio::cancellation_slot;
  cancellation_slot_type get_cancellation_slot() const noexcept { return call->signal_.slot(); }
  void operator()(Status status) {
    call->status_ = std::move(status);
    std::exchange(call, nullptr)->end();
  }

  std::shared_ptr<ClientCall> call;
};

void ClientCall::begin(Channel& channel, const Method& method, const Payload& request, const CallSettings* settings,
                       Expects expects) {
  CallOptions options;
  if (settings != nullptr) options = settings->options;
  options.codec = codec_ = request.codec;
  expects_ = expects;
  Handler handler{std::static_pointer_cast<ClientCall>(shared_from_this())};
  if (expects == Expects::nothing) return channel.async_call_oneway(method, request, options, std::move(handler));
  options.response_info = &reply_;
  if (expects == Expects::response) return channel.async_call(method, request, response_, options, std::move(handler));
  channel.async_call(method, request, response_.payload, options, std::move(handler));
}

py::object ClientCall::outcome() {
  if (!status_.is_ok()) return make_failure(status_, reply_.leading, reply_.trailing, reply_.peer);
  if (expects_ == Expects::nothing) return py::none();
  return received(response_.payload.bytes, codec_);
}

py::object value_or_raise(py::object outcome) {
  if (PyExceptionInstance_Check(outcome.ptr()) == 0) return outcome;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(outcome.ptr())), outcome.ptr());
  throw py::error_already_set();
}

}  // namespace trunkline::python
