// SPDX-License-Identifier: MIT
// CreditWatch: reads along on both directions of a link and keeps the accounts of credit on its own.
#pragma once

#include "wire/frame.h"
#include "wire/hello.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace trunkline::kit {

/// Tells when a side sends more than it was granted, or grants back more than has been sent to it. It takes a grant as
/// given, and a message as received, when it is sent, so it never complains of what is right.
class CreditWatch {
 public:
  /// Returns what the sender has done wrong; empty if nothing.
  std::string saw(wire::Sender from, std::string_view bytes);

 private:
  struct Side {
    bool past_preface = false;
    bool greeted = false;
    std::string pending;                ///< a preface, hello, header or block not whole yet
    std::uint64_t skip = 0;             ///< bytes of a body that do not matter
    std::int64_t connection = 1048576;  ///< what this side may still send
    std::int64_t connection_initial = 1048576;
    std::int64_t call_initial = 65536;
    std::map<std::uint32_t, std::int64_t> calls;
  };

  bool take_frame(Side& side, Side& other, wire::Sender from);
  void on_hello(Side& other, std::string_view body);
  void on_frame(Side& side, Side& other, wire::Sender from, const wire::FrameHeader& header, std::uint32_t block);

  std::array<Side, 2> sides_;
  std::string fault_;
};

}  // namespace trunkline::kit
