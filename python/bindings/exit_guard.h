// SPDX-License-Identifier: MIT
// The end of the interpreter: which threads it leaves behind, as Python leaves daemon threads.
#pragma once

namespace trunkline::python {

/// Says that the exit of the interpreter begins, on the thread that carries it out.
void begin_exit() noexcept;
/// Says that no exit is in progress: the interpreter begins, perhaps once more in this process, or this is a forked
/// child, which does not take part in the exit of its parent.
void forget_exit() noexcept;
/// Says that the exit waits for the thread that calls this.
void keep_through_exit() noexcept;
/// Returns true once the exit has begun, on any thread but the one that carries it out and those that it waits for.
/// What such a thread waits for ends because the exit closes it, and the error would say nothing to the application.
/// make_failure() therefore makes a SystemExit of it: it ends a thread without a word, and locks are released.
bool is_left_behind() noexcept;
/// Returns true if the calling thread must never have the GIL again: the interpreter is being torn down, by another
/// thread. Call it without the GIL.
bool has_lost_interpreter() noexcept;
/// Blocks for ever. Must be called without the GIL, while nothing waits for the thread.
[[noreturn]] void rest() noexcept;

}  // namespace trunkline::python
