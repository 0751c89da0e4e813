// SPDX-License-Identifier: MIT
// Client streams write, server streams read, and bidirectional streams write and read in turn.
#include "load/stream_slots.h"

#include <optional>

namespace trunkline::load {
namespace {

using Stream = ClientStream<RawMessage, RawMessage>;
using Response = Result<std::optional<RawMessage>>;

class StreamSlot : public CallSlot {
 public:
  using CallSlot::CallSlot;

 protected:
  void open() {
    written_ = read_ = 0;
    differs_ = false;
    stream_.emplace(context_.channel->stream<RawMessage, RawMessage>(*context_.method, context_.options));
  }
  /// Reads until the server has ended the call. Each received message adds `messages` to the count.
  void read_on(std::size_t messages) {
    stream_->async_read([this, messages](const Response& response) {
      if (!response.is_ok()) return finish(response.status());
      if (!response->has_value()) return finish({});
      take(**response, messages);
      read_on(messages);
    });
  }
  void take(const RawMessage& response, std::size_t messages) {
    ++read_;
    differs_ = differs_ || (expected() != nullptr && response.bytes != *expected());
    add_transfer(messages, 0, response.bytes.size());
  }
  void count_written(std::size_t messages) {
    ++written_;
    add_transfer(messages, context_.request.bytes.size(), 0);
  }
  void finish(const Status& status) {
    // A missing echo is an error too: a successful stream has at least one response.
    const bool is_wrong = differs_ || (expected() != nullptr && read_ == 0);
    end(status.is_ok() && is_wrong ? differing_response() : status);
  }

  std::optional<Stream> stream_;
  std::size_t written_ = 0;
  std::size_t read_ = 0;
  bool differs_ = false;
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
    const bool is_last = written_ + 1 >= context_.plan->messages || !context_.owner->has_next_message(*this);
    const auto written = [this, is_last](const Status& status) {
      if (status.is_ok()) count_written(1);
      return is_last || !status.is_ok() ? read_on(0) : write();
    };
    if (is_last) return stream_->async_write_last(context_.request, written);
    stream_->async_write(context_.request, written);
  }
};

class ServerStreamSlot final : public StreamSlot {
 public:
  using StreamSlot::StreamSlot;
  void start() override {
    open();
    stream_->async_write_last(context_.request, [this](const Status& status) {
      if (status.is_ok()) count_written(0);
      read_on(1);
    });
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
  /// The next step follows when both the read and the write have ended. A stream takes one of each at a time, and a
  /// slot that is started again must have none in progress.
  void exchange() {
    under_way_ = 2;
    asked_ = Clock::now();
    stream_->async_write(context_.request, [this](const Status& status) {
      if (status.is_ok()) count_written(0);
      if (--under_way_ == 0) step();
    });
    stream_->async_read([this](const Response& response) {
      status_ = response.status();
      // The server has ended the call early, without an error.
      has_ended_ = !response.is_ok() || !response->has_value();
      if (!has_ended_) {
        take(**response, 1);
        context_.owner->message_finished(*this, Clock::now() - asked_);
      }
      if (--under_way_ == 0) step();
    });
  }
  void step() {
    if (has_ended_) return finish(status_);
    if (read_ < context_.plan->messages && context_.owner->has_next_message(*this)) return exchange();
    stream_->async_close_writes([this](const Status&) { read_on(0); });
  }

  Clock::time_point asked_;
  Status status_;
  int under_way_ = 0;
  bool has_ended_ = false;
};

}  // namespace

std::unique_ptr<CallSlot> make_stream_slot(SlotContext& context) {
  if (context.plan->kind == CallKind::client_stream) return std::make_unique<ClientStreamSlot>(context);
  if (context.plan->kind == CallKind::server_stream) return std::make_unique<ServerStreamSlot>(context);
  return std::make_unique<BidirectionalSlot>(context);
}

}  // namespace trunkline::load
