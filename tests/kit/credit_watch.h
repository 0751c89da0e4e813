// SPDX-License-Identifier: MIT
// CreditWatch: reads both directions of a link and keeps its own accounts of credit.
#pragma once

#include "wire/frame.h"
#include "wire/hello.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace trunkline::kit {

/// Detects a side that sends more than it was granted, or returns more credit than was used. A grant counts as
/// received, and so does a message, when it is sent, so a correct side is never reported.
class CreditWatch {
 public:
  /// Returns the fault of the sender; empty: none.
  std::string saw(wire::Sender from, std::string_view bytes);

 private:
  struct Side {
    bool past_preface = false;
    bool greeted = false;
    /// An incomplete preface, hello, header or header block.
    std::string pending;
    /// Bytes of a body to skip.
    std::uint64_t skip = 0;
    /// What this side may still send.
    std::int64_t connection = 1048576;
    std::int64_t connection_initial = 1048576;
    std::int64_t call_initial = 65536;
    /// The same for each call, less call_initial. An entry may be older than the call's frame: a hostile peer grants
    /// and uses credit of calls that it has not seen.
    std::map<std::uint32_t, std::int64_t> calls;
  };

  bool take_frame(Side& side, Side& other, wire::Sender from);
  void on_hello(Side& other, std::string_view body);
  void on_frame(Side& side, Side& other, wire::Sender from, const wire::FrameHeader& header, std::uint32_t block);

  std::array<Side, 2> sides_;
  std::string fault_;
};

}  // namespace trunkline::kit
