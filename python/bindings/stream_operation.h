// SPDX-License-Identifier: MIT
// StreamOperation: one read, write or wait of a stream that Python has begun.
#pragma once

#include "client_call.h"

#include <asio/cancellation_signal.hpp>

#include <atomic>
#include <optional>

namespace trunkline::python {

class StreamOperation final : public Completion {
 public:
  /// `owner` is kept until the end: the stream's end that it belongs to.
  StreamOperation(std::shared_ptr<Pump> pump, std::shared_ptr<void> owner) noexcept
      : Completion(std::move(pump)), owner_(std::move(owner)) {}

  /// Before it is begun: where the name of the codec of what is read goes, a member of the owner.
  void tell_codec(std::atomic<const char*>& codec) noexcept { codec_ = &codec; }
  /// A read: the message's bytes, or None at the stream's end. Otherwise True. An RpcError if it has failed.
  py::object outcome() override {
    if (!status_.is_ok()) return make_failure(status_, leading_, trailing_, {});
    if (!is_read_) return py::bool_(true);
    return has_message_ ? received(message_) : py::none();
  }
  void cancel() override { signal_.emit(asio::cancellation_type::all); }

  /// Once it has ended.
  bool is_ok() const noexcept { return status_.is_ok(); }
  bool has_message() const noexcept { return has_message_; }
  /// After a failure, for its exception.
  void set_metadata(Metadata leading, Metadata trailing) noexcept {
    leading_ = std::move(leading);
    trailing_ = std::move(trailing);
  }

  /// Asio's handlers of both kinds. `at_end(operation)` is called on the loop's thread before anybody is told.
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
  /// A message is written when there is room for it, which is before the socket has it.
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
  Metadata leading_;
  Metadata trailing_;
  asio::cancellation_signal signal_;
};

}  // namespace trunkline::python
