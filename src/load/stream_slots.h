// SPDX-License-Identifier: MIT
// Makes slots of streams, which are opened, used for the number of messages in the plan, and opened again.
#pragma once

#include "load/call_slot.h"

#include <memory>

namespace trunkline::load {

/// Returns a slot for a plan whose kind is a stream.
std::unique_ptr<CallSlot> make_stream_slot(SlotContext& context);

}  // namespace trunkline::load
