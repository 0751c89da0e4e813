// SPDX-License-Identifier: MIT
// free_block_pool(): returns the memory that a thread keeps for blocks.
#pragma once

namespace trunkline::base {

/// Frees the blocks that this thread has recycled and not used again: up to 4 MiB of each size. For a thread that has
/// no work for them.
void free_block_pool() noexcept;

}  // namespace trunkline::base
