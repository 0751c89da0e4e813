// SPDX-License-Identifier: MIT
// The hashes of CPython's numbers and tuples, which are the same in every process.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace trunkline::python {

/// Numbers are hashed modulo this prime.
inline constexpr std::uint64_t hash_modulus = (std::uint64_t{1} << 61) - 1;

/// Multiply and exponentiate modulo the prime. Factors and bases are less than it.
constexpr std::uint64_t times(std::uint64_t a, std::uint64_t b) noexcept {
  // The four products are summed up; those with a high half are shifted within the 61 bits of the prime.
  constexpr std::uint64_t half = 0xFFFFFFFF;
  const std::uint64_t low = (a & half) * (b & half) % hash_modulus;
  const std::uint64_t middle =
      ((a >> 32) * (b & half) % hash_modulus + (a & half) * (b >> 32) % hash_modulus) % hash_modulus;
  const std::uint64_t high = (a >> 32) * (b >> 32) * 8 % hash_modulus;  // 2^64 is 8
  const std::uint64_t shifted = ((middle << 32) & hash_modulus) | (middle >> 29);
  return (low + shifted + high) % hash_modulus;
}
constexpr std::uint64_t power(std::uint64_t base, std::uint64_t exponent) noexcept {
  std::uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = times(result, base);
    base = times(base, base);
  }
  return result;
}
/// Returns `residue`, the digits read so far, with one more digit. `base` is even and at most 16.
inline std::uint64_t with_digit(std::uint64_t residue, unsigned base, unsigned digit) noexcept {
  // The factor is half of the base, as the product is to be less than 2^64.
  return (residue * (base / 2) % hash_modulus * 2 + digit) % hash_modulus;
}

/// Returns the hash of a number whose absolute value has this residue.
inline std::int64_t hash_of_number(std::uint64_t residue, bool is_negative) noexcept {
  const auto hash = static_cast<std::int64_t>(residue);
  if (!is_negative) return hash;
  return hash == 1 ? -2 : -hash;
}

inline std::int64_t hash_of_float(double value) noexcept {
  if (!std::isfinite(value)) return std::isinf(value) ? (value > 0 ? 314159 : -314159) : 0;
  int exponent = 0;
  double mantissa = std::frexp(std::fabs(value), &exponent);
  std::uint64_t residue = 0;
  while (mantissa != 0) {
    constexpr int bits = 28;
    residue = ((residue << bits) & hash_modulus) | (residue >> (61 - bits));
    mantissa *= 1 << bits;
    exponent -= bits;
    const auto digit = static_cast<std::uint64_t>(mantissa);
    mantissa -= static_cast<double>(digit);
    residue = (residue + digit) % hash_modulus;
  }
  exponent = exponent >= 0 ? exponent % 61 : 60 - (-1 - exponent) % 61;
  residue = ((residue << exponent) & hash_modulus) | (residue >> (61 - exponent));
  return hash_of_number(residue, std::signbit(value));
}

/// Computes the hash of a tuple from the hashes of its items.
class TupleHash {
 public:
  void add(std::int64_t hash) noexcept {
    sum_ += static_cast<std::uint64_t>(hash) * 14029467366897019727U;
    sum_ = (sum_ << 31) | (sum_ >> 33);
    sum_ *= 11400714785074694791U;
    ++count_;
  }
  std::int64_t value() const noexcept {
    const std::uint64_t result = sum_ + (count_ ^ (start ^ 3527539U));
    return result == ~std::uint64_t{0} ? 1546275796 : static_cast<std::int64_t>(result);
  }

 private:
  static constexpr std::uint64_t start = 2870177450012600261U;
  std::uint64_t sum_ = start;
  std::size_t count_ = 0;
};

}  // namespace trunkline::python
