// SPDX-License-Identifier: MIT
// MemoryEnd: an end of a connection in memory, with a bounded buffer in each direction.
#pragma once

#include "net/loop.h"
#include "net/transport.h"

#include <memory>
#include <string>
#include <utility>

namespace trunkline::net {

class MemoryLink;

struct MemoryOptions {
  /// The size of the buffer in each direction; at least 1. A writer waits when the buffer is full.
  std::size_t buffer_bytes = 256 * 1024;
  /// The address of the peer as each end reports it.
  std::string address = "inproc://";
};

/// One end of a connection whose loop is not known yet. Destroying it unclaimed ends the stream of the other end. Any
/// thread may use it.
class MemoryEnd {
 public:
  explicit MemoryEnd(std::shared_ptr<MemoryLink> link) noexcept : link_(std::move(link)) {}
  MemoryEnd(MemoryEnd&&) noexcept = default;
  MemoryEnd& operator=(MemoryEnd&&) = delete;
  ~MemoryEnd();
  /// Returns the address of the other end.
  const std::string& address() const noexcept;
  /// Returns the end as a transport on `loop`. Must be called once, on the thread of `loop`.
  std::unique_ptr<Transport> claim(Loop& loop);

 private:
  std::shared_ptr<MemoryLink> link_;
};

/// Makes a connection. Its first end belongs to `loop`; the ends may be on different loops. Each read, write and wait
/// takes one lock, which is uncontended if both ends are on the same loop.
std::pair<std::unique_ptr<Transport>, MemoryEnd> make_memory_link(Loop& loop, const MemoryOptions& options = {});
std::pair<std::unique_ptr<Transport>, std::unique_ptr<Transport>> make_memory_pair(Loop& first, Loop& second,
                                                                                   const MemoryOptions& options = {});

}  // namespace trunkline::net
