// SPDX-License-Identifier: MIT
// Makes unary and one-way calls, without an allocation for each.
#include "load/unary_slots.h"

#include <utility>

namespace trunkline::load {
namespace {

template <std::size_t Number>
class UnarySlot final : public CallSlot {
 public:
  using CallSlot::CallSlot;
  void start() override {
    response_.message.expected = expected();
    context_.channel->async_call(*context_.method, RequestIn<Number>{context_.request}, response_, context_.options,
                                 [this](const Status& status) { finish(status); });
  }

 private:
  void finish(const Status& status) {
    const RawResponse& response = response_.message;
    add_transfer(0, context_.request.bytes.size(), status.is_ok() ? response.size : 0);
    if (status.is_ok() && response.differs) [[unlikely]]
      return end(differing_response());
    end(status);
  }

  ResponseIn<Number> response_{};
};

template <std::size_t Number>
class OneWaySlot final : public CallSlot {
 public:
  using CallSlot::CallSlot;
  void start() override {
    context_.channel->async_call_oneway(*context_.method, RequestIn<Number>{context_.request}, context_.options,
                                        [this](const Status& status) {
                                          add_transfer(0, context_.request.bytes.size(), 0);
                                          end(status);
                                        });
  }
};

/// Makes a slot for the number of the plan's codec, which is one of raw_codec_names.
template <template <std::size_t> class Slot, std::size_t... Numbers>
std::unique_ptr<CallSlot> make(SlotContext& context, std::index_sequence<Numbers...>) {
  std::unique_ptr<CallSlot> made;
  const auto make_if = [&]<std::size_t Number>() {
    if (raw_codec_names[Number] == context.plan->codec) made = std::make_unique<Slot<Number>>(context);
  };
  (make_if.template operator()<Numbers>(), ...);
  return made;
}

using AllCodecs = std::make_index_sequence<raw_codec_names.size()>;

}  // namespace

std::unique_ptr<CallSlot> make_unary_slot(SlotContext& context) {
  if (context.plan->kind == CallKind::one_way) return make<OneWaySlot>(context, AllCodecs());
  return make<UnarySlot>(context, AllCodecs());
}

}  // namespace trunkline::load
