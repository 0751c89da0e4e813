// SPDX-License-Identifier: MIT
// Unary and one-way calls, without an allocation for each.
#include "load/call_slot.h"

#include "load/stream_slots.h"

namespace trunkline::load {
namespace {

class UnarySlot final : public CallSlot {
 public:
  using CallSlot::CallSlot;
  void start() override {
    response_.expected = expected();
    context_.channel->async_call(*context_.method, context_.request, response_, context_.options,
                                 [this](const Status& status) { finish(status); });
  }

 private:
  void finish(const Status& status) {
    const std::size_t sent_bytes = context_.request.bytes.size();
    if (status.is_ok() && response_.differs) [[unlikely]]
      return end(differing_answer(), 0, sent_bytes, response_.size);
    end(status, 0, sent_bytes, status.is_ok() ? response_.size : 0);
  }

  RawResponse response_;
};

class OneWaySlot final : public CallSlot {
 public:
  using CallSlot::CallSlot;
  void start() override {
    context_.channel->async_call_oneway(
        *context_.method, context_.request, context_.options,
        [this](const Status& status) { end(status, 0, context_.request.bytes.size(), 0); });
  }
};

}  // namespace

std::unique_ptr<CallSlot> make_slot(SlotContext& context) {
  switch (context.plan->kind) {
    case CallKind::unary:
      return std::make_unique<UnarySlot>(context);
    case CallKind::one_way:
      return std::make_unique<OneWaySlot>(context);
    case CallKind::client_stream:
    case CallKind::server_stream:
    case CallKind::bidirectional:
      return make_stream_slot(context);
  }
  return nullptr;
}

Status differing_answer() { return {StatusCode::data_loss, "an answer of the echo service differs from its request"}; }

}  // namespace trunkline::load
