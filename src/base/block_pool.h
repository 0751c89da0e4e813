// SPDX-License-Identifier: MIT
// free_block_pool(), trim_block_pool(): return the memory that a thread keeps for blocks.
#pragma once

namespace trunkline::base {

/// Frees the blocks that this thread has recycled and not used again: up to 4 MiB of each size. A thread that has no
/// work for them calls it.
void free_block_pool() noexcept;
/// Frees the blocks that this thread has not needed since the last call. Returns true if it keeps others.
bool trim_block_pool() noexcept;

}  // namespace trunkline::base
