// SPDX-License-Identifier: MIT
// The payload and the constants that every contestant sends, in whatever message it has.
#pragma once

#include <cstdint>
#include <string>

namespace trunkline::contest {

/// Random letters, the same for every contestant and run.
inline std::string letters(std::size_t bytes) {
  std::string text(bytes, '\0');
  std::uint32_t state = 2463534242;
  for (char& letter : text) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    letter = static_cast<char>('a' + state % 26);
  }
  return text;
}

/// What FindOne is asked and answers: about 39 bytes in and 230 out.
namespace person {
inline constexpr const char* id = "5f0c6f9e8d3b2a0017c4e1aa";
inline constexpr const char* name = "Augusta Ada King, Countess of Lovelace";
inline constexpr const char* email = "ada.lovelace@analytical-engine.example";
inline constexpr const char* phone = "+44 20 7946 0958";
inline constexpr const char* city = "12 St James's Square, London SW1Y 4LB, United Kingdom";
inline constexpr const char* company = "The Analytical Engine Company, Limited";
inline constexpr std::int32_t age = 36;
}  // namespace person

}  // namespace trunkline::contest
