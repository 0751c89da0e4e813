// SPDX-License-Identifier: MIT
// The records of a soak run: what each client knows of its calls, and what each server has run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace trunkline::soak {

/// The number of a client, and in its lower bits the number of the call.
using CallNumber = std::uint64_t;

inline constexpr unsigned sequence_bits = 28;
inline constexpr std::size_t calls_per_client = std::size_t{1} << sequence_bits;

/// Kinds of calls. `records.py` has the same list.
enum class Kind : std::uint8_t {
  small,
  unary,
  blocking,
  one_way,
  client_stream,
  server_stream,
  bidirectional,
  /// May run more than once.
  idempotent,
  /// With a deadline that is too short, or cancelled by its caller.
  cancelled,
};
inline constexpr std::array<std::string_view, 9> kind_names = {"small",         "unary",         "blocking",
                                                               "one_way",       "client_stream", "server_stream",
                                                               "bidirectional", "idempotent",    "cancelled"};

enum class Outcome : std::uint8_t {
  none,
  begun,
  ok,
  /// With an error of which the caller knows that the call may have run.
  failed,
  /// With an error that says that the call has not run.
  not_run,
  /// With an error that must not occur, or with a response that is not the server's.
  wrong,
  /// It has ended long after its deadline.
  late,
};

/// A byte for each call of a client.
constexpr std::uint8_t entry_of(Kind kind, Outcome outcome) noexcept {
  return static_cast<std::uint8_t>(static_cast<unsigned>(kind) << 4 | static_cast<unsigned>(outcome));
}
constexpr Kind kind_of(std::uint8_t entry) noexcept { return static_cast<Kind>(entry >> 4); }
constexpr Outcome outcome_of(std::uint8_t entry) noexcept { return static_cast<Outcome>(entry & 15); }

/// A sparse file of `size` bytes, at first 0, in memory that all processes share. What a process has written survives
/// its end by a signal.
class SharedFile {
 public:
  /// Makes the file, or makes it longer, where necessary. Throws std::system_error.
  SharedFile(const std::string& path, std::size_t size);
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  std::span<std::uint8_t> bytes() const noexcept { return bytes_; }

 private:
  std::span<std::uint8_t> bytes_;
};

}  // namespace trunkline::soak
