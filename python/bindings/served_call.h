// SPDX-License-Identifier: MIT
// ServedCall: one call that a server has for Python, from its arrival to its answer.
#pragma once

#include "stream_operation.h"

#include <trunkline/server_context.h>
#include <trunkline/stream_completion.h>

#include <atomic>
#include <memory>

namespace trunkline::python {

class ServedMethod;

/// What wakes the coroutine that stands for the call in the core. On the loop's thread, once.
class Resumption {
 public:
  virtual ~Resumption() = default;
  virtual void resume() = 0;
};

/// Made on the loop's thread; used with the GIL until it is answered; then the loop's again.
class ServedCall : public std::enable_shared_from_this<ServedCall> {
 public:
  ServedCall(std::shared_ptr<Pump> pump, std::shared_ptr<const ServedMethod> method, ServerContext& context);
  ServedCall(const ServedCall&) = delete;
  ServedCall& operator=(const ServedCall&) = delete;

  // --- for Python; RpcError (failed_precondition) once it is answered ---

  std::string_view method() const { return context().method(); }
  std::string_view peer() const { return context().peer(); }
  std::string_view certificate_subject() const { return context().certificate_subject(); }
  py::list metadata() const;
  /// Seconds, or None without a deadline.
  py::object time_left() const;
  bool is_cancelled() const { return answered_ || context().is_cancelled(); }
  void add_leading_metadata(std::string_view name, const py::handle& value);
  void add_trailing_metadata(std::string_view name, const py::handle& value);
  bool set_compressor(std::string_view name) { return context().set_compressor(name); }
  void disconnect() { context().disconnect(); }
  /// Of the request, or what was last read; empty before.
  const char* codec() const noexcept { return codec_.load(std::memory_order_relaxed); }
  std::chrono::steady_clock::time_point deadline() const { return context().deadline(); }

  std::shared_ptr<StreamOperation> begin_read(const std::shared_ptr<Inbox>& inbox, const py::handle& tag);
  /// `codec`: what it travels as if the caller has not said in what by a message of its own.
  std::shared_ptr<StreamOperation> begin_write(const py::handle& message, std::string_view codec,
                                               const std::shared_ptr<Inbox>& inbox, const py::handle& tag);

  // --- the answer; the first one counts ---

  /// False if it has one already.
  bool set_response(const py::handle& message);
  bool set_status(Status status, const Metadata& trailing);
  bool set_ok();
  /// It will not be run: the server stops.
  void refuse() { static_cast<void>(set_status({StatusCode::unavailable, "the server is stopping"}, {})); }

  // --- on the loop's thread ---

  void open_stream(call::ServerStreamCore& core) { port_ = &call::port_of(core); }
  bool is_stream() const noexcept { return port_ != nullptr; }
  /// Gives its metadata to the context, which it no longer uses after this.
  Status take_outcome(Slice* response);

  void set_request(Payload payload) noexcept {
    if (!payload.codec.empty()) codec_.store(payload.codec.data(), std::memory_order_relaxed);
    request = std::move(payload.bytes);
  }

  Slice request;
  std::unique_ptr<Resumption> resumption;
  bool is_handed_in = false;  // the queue's
  const ServedMethod& served_method() const noexcept { return *method_; }
  const std::shared_ptr<Pump>& pump() const noexcept { return pump_; }

 private:
  ServerContext& context() const;
  bool begin_answer();
  std::shared_ptr<StreamOperation> operation(const std::shared_ptr<Inbox>& inbox, const py::handle& tag);

  std::shared_ptr<Pump> pump_;
  std::shared_ptr<const ServedMethod> method_;
  ServerContext* context_;
  call::StreamPort* port_ = nullptr;
  std::atomic<const char*> codec_{""};
  bool answered_ = false;
  Metadata trailing_;
  Slice response_;
  Status outcome_;
};

}  // namespace trunkline::python
