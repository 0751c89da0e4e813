// SPDX-License-Identifier: MIT
// The tables of the Huffman code, which are made from the lengths of its codes, and the loops over them.
#include "http/hpack/huffman.h"

#include <array>
#include <bit>
#include <cstring>

namespace trunkline::http::hpack {
namespace {

constexpr std::size_t symbol_count = 257;
constexpr unsigned end_of_string = 256;
constexpr unsigned longest_code = 30;
constexpr unsigned lookup_bits = 12;

/// The lengths of the codes by symbol, from RFC 7541, appendix B. The code is canonical: codes of one length are
/// consecutive numbers in the order of their symbols, and shorter codes are smaller. So the lengths say everything.
constexpr std::array<std::uint8_t, symbol_count> code_lengths{
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28,  //
    28, 28, 28, 28, 28, 28, 28, 28, 6,  10, 10, 12, 13, 6,  8,  11, 10, 10, 8,  11, 8,  6,  6,  6,   //
    5,  5,  5,  6,  6,  6,  6,  6,  6,  6,  7,  8,  15, 6,  12, 10, 13, 6,  7,  7,  7,  7,  7,  7,   //
    7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  8,  7,  8,  13, 19, 13, 14, 6,   //
    15, 5,  6,  5,  6,  5,  6,  6,  6,  5,  7,  7,  6,  6,  6,  5,  6,  7,  6,  5,  5,  6,  7,  7,   //
    7,  7,  7,  15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,  //
    24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21,  //
    23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,  //
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24,  //
    21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,  //
    26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30,
};

struct CanonicalCode {
  std::array<std::uint32_t, symbol_count> codes{};
  /// The symbols in the order of their codes.
  std::array<std::uint16_t, symbol_count> symbols{};
  /// The first code of each length, the place of its symbol in `symbols`, and, as 30 bits, the end of the codes that
  /// are not longer.
  std::array<std::uint32_t, longest_code + 1> first_codes{};
  std::array<std::uint16_t, longest_code + 1> first_places{};
  std::array<std::uint32_t, longest_code + 1> ends{};
};

constexpr CanonicalCode canonical = [] {
  CanonicalCode made;
  std::uint32_t code = 0;
  std::uint16_t place = 0;
  for (unsigned length = 1; length <= longest_code; ++length) {
    code <<= 1;
    made.first_codes[length] = code;
    made.first_places[length] = place;
    for (std::size_t symbol = 0; symbol < symbol_count; ++symbol) {
      if (code_lengths[symbol] != length) continue;
      made.codes[symbol] = code++;
      made.symbols[place++] = static_cast<std::uint16_t>(symbol);
    }
    made.ends[length] = code << (longest_code - length);
  }
  return made;
}();
static_assert(canonical.ends[longest_code] == 1U << longest_code, "the lengths make a complete code");
static_assert(canonical.codes[end_of_string] == (1U << longest_code) - 1);

/// The symbols with which the next bits begin. Twelve bits have room for most pairs of characters in names and paths.
struct Lookup {
  std::array<char, 2> symbols{};
  /// The bits of the first symbol, and of all symbols; 0: the code is longer than the lookup.
  std::uint8_t first_bits = 0;
  std::uint8_t bits = 0;

  constexpr unsigned count() const noexcept { return (bits != 0 ? 1U : 0U) + (bits != first_bits ? 1U : 0U); }
};

constexpr std::array<Lookup, 1 << lookup_bits> lookups = [] {
  std::array<Lookup, 1 << lookup_bits> made{};
  for (std::uint32_t bits = 0; bits < made.size(); ++bits) {
    Lookup& entry = made[bits];
    for (std::size_t count = 0; count < 2; ++count) {
      const unsigned taken = entry.bits;
      for (unsigned length = 5; taken + length <= lookup_bits && entry.bits == taken; ++length) {
        const std::uint32_t code = (bits >> (lookup_bits - taken - length)) & ((1U << length) - 1);
        const std::uint32_t place = canonical.first_places[length] + (code - canonical.first_codes[length]);
        if (code < canonical.first_codes[length] || place >= canonical.first_places[length + 1]) continue;
        entry.symbols[count] = static_cast<char>(canonical.symbols[place]);
        entry.bits = static_cast<std::uint8_t>(taken + length);
        if (count == 0) entry.first_bits = entry.bits;
      }
      if (entry.bits == taken) break;
    }
  }
  return made;
}();

struct LongSymbol {
  unsigned symbol;
  unsigned bits;
};

/// Finds a code that the lookup does not hold. `window` has the first bit of the code on top.
LongSymbol find_long(std::uint64_t window) noexcept {
  const auto bits = static_cast<std::uint32_t>(window >> (64 - longest_code));
  unsigned length = lookup_bits + 1;
  while (bits >= canonical.ends[length]) ++length;
  const std::uint32_t code = bits >> (longest_code - length);
  return {canonical.symbols[canonical.first_places[length] + (code - canonical.first_codes[length])], length};
}

/// Converts an integer to or from big-endian order.
template <class Integer>
Integer big_endian(Integer value) noexcept {
  if constexpr (std::endian::native == std::endian::big) return value;
  if constexpr (sizeof(value) == 8) return __builtin_bswap64(value);
  return __builtin_bswap32(static_cast<std::uint32_t>(value));
}

std::uint64_t load_big(const std::byte* in) noexcept {
  std::uint64_t value = 0;
  std::memcpy(&value, in, sizeof(value));
  return big_endian(value);
}

/// Decodes one string. The window has the next bit on top; `bits_` of its bits are input.
class HuffmanDecoding {
 public:
  HuffmanDecoding(ByteSpan in, std::span<char> out) noexcept
      : in_(in.data()), in_end_(in.data() + in.size()), out_(out.data()), out_end_(out.data() + out.size()) {}

  HuffmanResult run() noexcept {
    if (!decode_middle()) return HuffmanResult::malformed;
    return decode_end();
  }
  const char* end() const noexcept { return out_; }

 private:
  // Each round makes as many lookups as fit into 56 bits, and writes two bytes for each.
  static constexpr unsigned round_lookups = 56 / lookup_bits;
  static constexpr std::ptrdiff_t round_output = 2 * round_lookups;

  /// Decodes as far as eight bytes can be loaded at once and the output has room for a round. False: it is malformed.
  bool decode_middle() noexcept {
    while (in_end_ - in_ >= 8 && out_end_ - out_ >= round_output) {
      window_ |= load_big(in_) >> bits_;
      in_ += (63 - bits_) >> 3;
      bits_ |= 56;
      for (unsigned round = 0; round < round_lookups; ++round) {
        const Lookup& entry = lookups[window_ >> (64 - lookup_bits)];
        if (entry.bits == 0) [[unlikely]] {
          // Too few bits may be left for a long code after the first lookup; the next round has them.
          if (round > 0) break;
          const LongSymbol found = find_long(window_);
          if (found.symbol == end_of_string) return false;
          *out_++ = static_cast<char>(found.symbol);
          take(found.bits);
          break;
        }
        std::memcpy(out_, entry.symbols.data(), 2);
        out_ += entry.count();
        take(entry.bits);
      }
    }
    // The window may hold bits beyond bits_, of bytes that are to be read again.
    if (bits_ < 64) window_ &= ~(~std::uint64_t{0} >> bits_);
    return true;
  }
  HuffmanResult decode_end() noexcept {
    for (;;) {
      for (; bits_ <= 56 && in_ != in_end_; bits_ += 8)
        window_ |= std::to_integer<std::uint64_t>(*in_++) << (56 - bits_);
      while (bits_ >= lookup_bits && out_end_ - out_ >= 2) {
        const Lookup& whole = lookups[window_ >> (64 - lookup_bits)];
        if (whole.bits == 0) break;
        std::memcpy(out_, whole.symbols.data(), 2);
        out_ += whole.count();
        take(whole.bits);
      }
      if (bits_ < longest_code && in_ != in_end_) continue;
      if (bits_ == 0) return HuffmanResult::complete;
      // Ones after the end look like padding that goes on.
      const std::uint64_t padded = bits_ < 64 ? window_ | (~std::uint64_t{0} >> bits_) : window_;
      const Lookup& entry = lookups[padded >> (64 - lookup_bits)];
      const LongSymbol next = entry.bits > 0
                                  ? LongSymbol{static_cast<unsigned char>(entry.symbols[0]), entry.first_bits}
                                  : find_long(padded);
      if (next.bits > bits_) {
        const bool is_padding = bits_ <= 7 && padded == ~std::uint64_t{0};
        return is_padding ? HuffmanResult::complete : HuffmanResult::malformed;
      }
      if (next.symbol == end_of_string) return HuffmanResult::malformed;
      if (out_ == out_end_) return HuffmanResult::too_long;
      *out_++ = static_cast<char>(next.symbol);
      take(next.bits);
    }
  }
  void take(unsigned bits) noexcept {
    window_ <<= bits;
    bits_ -= bits;
  }

  const std::byte* in_;
  const std::byte* in_end_;
  char* out_;
  char* out_end_;
  std::uint64_t window_ = 0;
  unsigned bits_ = 0;
};

}  // namespace

HuffmanResult decode_huffman(ByteSpan encoded, std::span<char> out, std::size_t& size) noexcept {
  HuffmanDecoding decoding(encoded, out);
  const HuffmanResult result = decoding.run();
  size = static_cast<std::size_t>(decoding.end() - out.data());
  return result;
}

std::size_t huffman_size(std::string_view text) noexcept {
  std::size_t bits = 0;
  for (const char character : text) bits += code_lengths[static_cast<unsigned char>(character)];
  return (bits + 7) / 8;
}

std::byte* encode_huffman(std::string_view text, std::byte* out) noexcept {
  std::uint64_t window = 0;
  unsigned bits = 0;
  for (const char character : text) {
    const auto symbol = static_cast<unsigned char>(character);
    window = window << code_lengths[symbol] | canonical.codes[symbol];
    bits += code_lengths[symbol];
    if (bits < 32) continue;
    bits -= 32;
    const std::uint32_t whole = big_endian(static_cast<std::uint32_t>(window >> bits));
    std::memcpy(out, &whole, sizeof(whole));
    out += sizeof(whole);
  }
  for (; bits >= 8; bits -= 8) *out++ = static_cast<std::byte>(window >> (bits - 8));
  if (bits > 0) *out++ = static_cast<std::byte>(window << (8 - bits) | 0xFFU >> bits);
  return out;
}

}  // namespace trunkline::http::hpack
