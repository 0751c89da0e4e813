// SPDX-License-Identifier: MIT
// free_block_pool(), trim_block_pool(): return the memory that a thread keeps for blocks.
#pragma once

namespace trunkline::base {

/// Frees the blocks that this thread has recycled and not used again: up to 4 MiB of each size. For a thread that has
/// no work for them.
void free_block_pool() noexcept;
/// Frees those that this thread has not needed since the last call, and keeps the others. True: it keeps some.
bool trim_block_pool() noexcept;

}  // namespace trunkline::base
