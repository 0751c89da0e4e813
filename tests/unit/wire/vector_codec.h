// SPDX-License-Identifier: MIT
// Turns single frames into the "meaning" objects of tests/vectors/native_v1.json and back, by way of trunkline::wire.
#pragma once

#include "wire/frame.h"

#include <trunkline/slice.h>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace trunkline::wire {

std::vector<std::byte> bytes_of_hex(const std::string& hex);
std::string hex_of(ByteSpan bytes);

/// One frame, for a receiver that has the early limits.
struct DecodedFrame {
  Status status;           ///< why it was refused
  bool complete = false;   ///< false: accepted so far, more bytes are needed
  std::size_t taken = 0;   ///< bytes of the frame
  nlohmann::json meaning;  ///< if complete
};

DecodedFrame decode_frame(ByteSpan bytes, Sender from);

/// The bytes of a frame that is not to be skipped.
std::vector<std::byte> encode_frame(const nlohmann::json& meaning);

}  // namespace trunkline::wire
