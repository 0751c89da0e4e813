// SPDX-License-Identifier: MIT
// Slots of streams: opened, used for the plan's number of messages, and opened again.
#pragma once

#include "load/call_slot.h"

#include <memory>

namespace trunkline::load {

/// Of a plan whose kind is a stream.
std::unique_ptr<CallSlot> make_stream_slot(SlotContext& context);

}  // namespace trunkline::load
