// SPDX-License-Identifier: MIT
// Two connected ends in memory, with a bounded buffer in each direction.
#pragma once

#include "net/loop.h"
#include "net/transport.h"

#include <memory>
#include <string>
#include <utility>

namespace trunkline::net {

struct MemoryOptions {
  std::size_t buffer_bytes = 256 * 1024;  ///< in each direction; a writer waits when it is full; at least 1
  std::string address = "inproc://";      ///< what each end calls the other
};

/// Half of a pair whose loop is not known yet. Destroying it unclaimed closes the other end's stream. Any thread.
class MemoryEnd {
 public:
  class Link;

  explicit MemoryEnd(std::shared_ptr<Link> link) noexcept : link_(std::move(link)) {}
  MemoryEnd(MemoryEnd&&) noexcept = default;
  MemoryEnd& operator=(MemoryEnd&&) = delete;
  ~MemoryEnd();
  /// What the other end is called.
  const std::string& address() const noexcept;
  /// Once; on the loop's thread.
  std::unique_ptr<Transport> claim(Loop& loop);

 private:
  std::shared_ptr<Link> link_;
};

/// The first end belongs to `loop`. The ends may be on different loops: then each read, write and wait takes one
/// uncontended lock.
std::pair<std::unique_ptr<Transport>, MemoryEnd> make_memory_link(Loop& loop, const MemoryOptions& options = {});
std::pair<std::unique_ptr<Transport>, std::unique_ptr<Transport>> make_memory_pair(Loop& first, Loop& second,
                                                                                   const MemoryOptions& options = {});

}  // namespace trunkline::net
