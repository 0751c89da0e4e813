// SPDX-License-Identifier: MIT
// ServedCall: the functions by which Python reads from and sets on a call that it serves.
#include "served_call.h"

#include "call/server_stream_core.h"
#include "served_method.h"

#include <utility>

namespace trunkline::python {

ServedCall::ServedCall(std::shared_ptr<Pump> pump, std::shared_ptr<const ServedMethod> method, ServerContext& context)
    : pump_(std::move(pump)), method_(std::move(method)), context_(&context) {
  set_level(context.priority());
}

void ServedCall::open_stream(call::ServerStreamCore& core) {
  port_ = &detail::port_of(core);
  // The registry has pass-through codecs only, whose names end with a null character and last.
  if (const Codec* const codec = core.response_codec()) codec_.store(codec->name().data(), std::memory_order_relaxed);
}

ServerContext& ServedCall::context() const {
  pump_->fork_guard().require("context");
  if (!is_finished_) return *context_;
  throw_failure({StatusCode::failed_precondition, "use context: its call has finished"});
}

std::vector<std::string> ServedCall::certificate_names() const {
  const auto names = context().certificate_names();
  return {names.begin(), names.end()};
}

py::str ServedCall::user_agent() const {
  // Making the object may let other threads run, one of which may finish the call.
  const std::string copy(context().user_agent());
  PyObject* const text = PyUnicode_DecodeUTF8(copy.data(), static_cast<Py_ssize_t>(copy.size()), "replace");
  if (text == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(text);
}

py::list ServedCall::metadata() const {
  // Making Python objects may let other threads run, one of which may finish the call.
  const Metadata copy = context().metadata();
  return metadata_to_python(copy);
}

py::object ServedCall::time_left() const {
  if (context().deadline() == std::chrono::steady_clock::time_point::max()) return py::none();
  const std::chrono::nanoseconds left = context().time_left();
  return py::float_(std::chrono::duration<double>(left).count());
}

void ServedCall::add_leading_metadata(std::string_view name, const py::handle& value) {
  context().add_leading_metadata(name, bytes_view(value));
}

void ServedCall::add_trailing_metadata(std::string_view name, const py::handle& value) {
  static_cast<void>(context());
  trailing_.add(name, bytes_view(value));
}

void ServedCall::send_leading_metadata() {
  context().send_leading_metadata();
  if (pump_->net_loop().is_current()) return;
  // The client is told even if no thread waits for anything.
  const ReleasedGil released;
  pump_->lead_once([] {});
}

void ServedCall::notify_cancelled(const std::shared_ptr<Inbox>& inbox, const py::handle& tag) {
  auto notice = std::make_shared<CancellationNotice>(pump_);
  notice->deliver_to(inbox, tag);
  {
    const std::lock_guard lock(notice_mutex_);
    if (!is_cancelled()) {
      notice_.swap(notice);
      return;
    }
  }
  notice->end();
}

void ServedCall::deliver_notice() {
  std::shared_ptr<CancellationNotice> notice;
  {
    const std::lock_guard lock(notice_mutex_);
    notice.swap(notice_);
  }
  if (notice != nullptr) notice->end();
}

std::shared_ptr<StreamOperation> ServedCall::operation(const std::shared_ptr<Inbox>& inbox, const py::handle& tag) {
  static_cast<void>(context());
  if (port_ == nullptr) throw_failure({StatusCode::failed_precondition, "use stream: the call is unary"});
  auto made = std::make_shared<StreamOperation>(pump_, shared_from_this());
  if (inbox != nullptr) made->deliver_to(inbox, tag);
  return made;
}

std::shared_ptr<StreamOperation> ServedCall::begin_read(const std::shared_ptr<Inbox>& inbox, const py::handle& tag) {
  auto begun = operation(inbox, tag);
  begun->tell_codec(codec_);
  detail::async_read<Payload>(*port_, begun->handler([](StreamOperation&) {}));
  return begun;
}

std::shared_ptr<StreamOperation> ServedCall::begin_write(const py::handle& message, std::string_view codec,
                                                         const std::shared_ptr<Inbox>& inbox, const py::handle& tag) {
  auto begun = operation(inbox, tag);
  const OutgoingBytes bytes(message);
  const Payload payload{bytes.slice()};
  detail::async_act(*port_, detail::StreamAction::write, {&payload_type(codec), &payload},
                    begun->handler([](StreamOperation&) {}));
  return begun;
}

void ServedCall::shed() {
  if (begin_finish()) outcome_ = context_->shed("it has waited for a worker for too long");
}

void ServedCall::refuse_stream(int limit) {
  Status status(StatusCode::resource_exhausted, "call " + method_->name() + ": the running streams have reached " +
                                                    "max_stream_threads " + std::to_string(limit));
  status.set_may_have_run(false);
  static_cast<void>(set_status(std::move(status), {}));
}

bool ServedCall::begin_finish() { return !std::exchange(is_finished_, true); }

bool ServedCall::set_response(const py::handle& message) {
  if (is_finished_) return false;
  Slice response = OutgoingBytes(message).keep();  // may run Python code, and so another thread
  if (!begin_finish()) return false;
  response_ = std::move(response);
  return true;
}

bool ServedCall::set_status(Status status, const Metadata& trailing) {
  if (!begin_finish()) return false;
  outcome_ = std::move(status);
  for (const Metadata::Entry& entry : trailing) trailing_.add(entry.name, entry.value);
  return true;
}

bool ServedCall::set_ok() { return begin_finish(); }

Status ServedCall::take_outcome(Slice* response) {
  if (begin_finish()) outcome_ = {StatusCode::internal, "handler of " + method_->name() + " ended without a response"};
  for (const Metadata::Entry& entry : trailing_) context_->add_trailing_metadata(entry.name, entry.value);
  context_ = nullptr;
  if (response != nullptr) *response = std::move(response_);
  return std::move(outcome_);
}

}  // namespace trunkline::python
