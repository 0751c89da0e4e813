// SPDX-License-Identifier: MIT
// Makes slots of unary and one-way calls.
#pragma once

#include "load/call_slot.h"

#include <memory>

namespace trunkline::load {

/// Returns a slot for a plan whose kind is unary or one_way.
std::unique_ptr<CallSlot> make_unary_slot(SlotContext& context);

}  // namespace trunkline::load
