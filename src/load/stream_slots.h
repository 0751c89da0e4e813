// SPDX-License-Identifier: MIT
// Slots of streams, which are opened, used for the number of messages in the plan, and opened again.
#pragma once

#include "load/call_slot.h"

#include <memory>

namespace trunkline::load {

/// A slot for a plan whose kind is a stream.
std::unique_ptr<CallSlot> make_stream_slot(SlotContext& context);

}  // namespace trunkline::load
