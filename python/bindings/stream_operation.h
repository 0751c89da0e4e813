// SPDX-License-Identifier: MIT
// StreamOperation: one read, write or wait for the end of a stream, begun by Python.
#pragma once

#include "client_call.h"

#include <asio/cancellation_signal.hpp>

#include <atomic>
#include <optional>

namespace trunkline::python {

class StreamOperation final : public Completion {
 public:
  /// `owner` is the stream that the operation belongs to. It is kept alive until the operation ends.
  StreamOperation(std::shared_ptr<Pump> pump, std::shared_ptr<void> owner) noexcept
      : Completion(std::move(pump)), owner_(std::move(owner)) {}

  /// Says where to store the codec of the message that is read, a member of the owner. Call it before the begin.
  void tell_codec(std::atomic<const char*>& codec) noexcept { codec_ = &codec; }
  /// Returns the bytes of the message for a read, or None at the end of the stream; True for other operations; an
  /// RpcError after a failure.
  py::object outcome() override {
    if (!status_.is_ok()) return make_failure(status_, reply_.leading, reply_.trailing, reply_.peer);
    if (!is_read_) return py::bool_(true);
    return has_message_ ? received(message_) : py::none();
  }
  void cancel() override { signal_.emit(asio::cancellation_type::all); }

  /// These are valid after the end of the operation.
  bool is_ok() const noexcept { return status_.is_ok(); }
  bool has_message() const noexcept { return has_message_; }
  /// Sets the metadata and the peer for the exception of a failed operation.
  void set_reply(ResponseInfo reply) noexcept { reply_ = std::move(reply); }

  /// An Asio handler of both kinds. The loop's thread calls `at_end(operation)` before the outcome is delivered.
  template <class AtEnd>
  struct Handler {
    using cancellation_slot_type = asio::cancellation_slot;
    cancellation_slot_type get_cancellation_slot() const noexcept { return operation->signal_.slot(); }
    void operator()(Status status) {
      operation->status_ = std::move(status);
      at_end(*operation);
      std::exchange(operation, nullptr)->finish();
    }
    void operator()(Result<std::optional<Payload>> message) {
      operation->is_read_ = true;
      if (message.is_ok() && message->has_value()) {
        operation->has_message_ = true;
        operation->tell((*message)->codec);
        operation->message_ = std::move(**message);
      }
      (*this)(std::move(message).status());
    }

    std::shared_ptr<StreamOperation> operation;
    AtEnd at_end;
  };
  template <class AtEnd>
  Handler<AtEnd> handler(AtEnd at_end) {
    return {std::static_pointer_cast<StreamOperation>(shared_from_this()), std::move(at_end)};
  }

 private:
  /// A write ends when there is room for the message, which is before the socket has taken it.
  bool leaves_work() const noexcept override { return true; }
  void tell(std::string_view codec) noexcept {
    if (codec_ != nullptr) codec_->store(codec.empty() ? "" : codec.data(), std::memory_order_relaxed);
  }
  void finish() {
    const std::shared_ptr<void> owner = std::move(owner_);
    end();
  }

  std::shared_ptr<void> owner_;
  std::atomic<const char*>* codec_ = nullptr;
  bool is_read_ = false;
  bool has_message_ = false;
  Payload message_;
  Status status_;
  ResponseInfo reply_;
  asio::cancellation_signal signal_;
};

}  // namespace trunkline::python
