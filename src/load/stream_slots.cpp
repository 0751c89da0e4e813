// SPDX-License-Identifier: MIT
// Client streams write, server streams read, bidirectional ones write and read in turn.
#include "load/stream_slots.h"

#include <algorithm>
#include <optional>

namespace trunkline::load {
namespace {

using Stream = ClientStream<RawMessage, RawResponse>;
using Answer = Result<std::optional<RawResponse>>;

class StreamSlot : public CallSlot {
 public:
  using CallSlot::CallSlot;

 protected:
  void open() {
    written_ = read_ = received_bytes_ = 0;
    stream_.emplace(context_.channel->stream<RawMessage, RawResponse>(*context_.method, context_.options));
  }
  /// Reads until the server has ended the call.
  void read_on() {
    stream_->async_read([this](const Answer& answer) {
      if (!answer.is_ok()) return finish(answer.status());
      if (!answer->has_value()) return finish({});
      take(**answer);
      read_on();
    });
  }
  void take(const RawResponse& response) {
    ++read_;
    received_bytes_ += response.size;
    last_size_ = response.size;
  }
  void finish(const Status& status) {
    const std::size_t size = context_.request.bytes.size();
    const bool is_wrong = status.is_ok() && context_.plan->expects_echo && received_bytes_ != read_ * size;
    // The stream goes once its operation is done: it is inside of it.
    end(is_wrong ? differing_answer() : status, std::max(written_, read_), written_ * size, received_bytes_);
  }

  std::optional<Stream> stream_;
  std::size_t written_ = 0;
  std::size_t read_ = 0;
  std::size_t received_bytes_ = 0;
  std::size_t last_size_ = 0;
};

class ClientStreamSlot final : public StreamSlot {
 public:
  using StreamSlot::StreamSlot;
  void start() override {
    open();
    write();
  }

 private:
  void write() {
    const bool is_last = ++written_ >= context_.plan->messages || !context_.owner->goes_on();
    if (is_last) return stream_->async_write_last(context_.request, [this](const Status&) { read_on(); });
    stream_->async_write(context_.request, [this](const Status& status) {
      if (!status.is_ok()) return read_on();
      write();
    });
  }
};

class ServerStreamSlot final : public StreamSlot {
 public:
  using StreamSlot::StreamSlot;
  void start() override {
    open();
    written_ = 1;
    stream_->async_write_last(context_.request, [this](const Status&) { read_on(); });
  }
};

class BidirectionalSlot final : public StreamSlot {
 public:
  using StreamSlot::StreamSlot;
  void start() override {
    open();
    exchange();
  }

 private:
  void exchange() {
    ++written_;
    asked_ = Clock::now();
    stream_->async_write(context_.request, [this](const Status&) {});
    stream_->async_read([this](const Answer& answer) {
      if (!answer.is_ok()) return finish(answer.status());
      // The server has ended a call that was not done.
      if (!answer->has_value()) return finish({});
      take(**answer);
      context_.owner->answered(Clock::now() - asked_);
      if (read_ < context_.plan->messages && context_.owner->goes_on()) return exchange();
      stream_->async_close_writes([this](const Status&) { read_on(); });
    });
  }

  Clock::time_point asked_;
};

}  // namespace

std::unique_ptr<CallSlot> make_stream_slot(SlotContext& context) {
  if (context.plan->kind == CallKind::client_stream) return std::make_unique<ClientStreamSlot>(context);
  if (context.plan->kind == CallKind::server_stream) return std::make_unique<ServerStreamSlot>(context);
  return std::make_unique<BidirectionalSlot>(context);
}

}  // namespace trunkline::load
