// SPDX-License-Identifier: MIT
// OptionChecker: refuses options that are out of range, with the same texts for channels and servers.
#pragma once

#include <trunkline/codec.h>
#include <trunkline/compressor.h>
#include <trunkline/connection_limits.h>
#include <trunkline/interceptor.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace trunkline::call {

/// Every check throws std::invalid_argument "SUBJECT: OPTION VALUE is not MIN to MAX" if its option is out of range.
/// Both ends of a range are allowed. It is immutable, and any thread may use it.
class OptionChecker {
 public:
  /// The longest duration that any option takes.
  static constexpr std::chrono::hours max_duration{24 * 365};

  /// `subject` begins every text, e.g. "channel options". It must outlive the checker.
  explicit constexpr OptionChecker(std::string_view subject) noexcept : subject_(subject) {}

  /// Throws "SUBJECT: REASON".
  [[noreturn]] void refuse(const std::string& reason) const {
    throw std::invalid_argument(std::string(subject_) + ": " + reason);
  }

  template <class Number>
  void check_range(std::string_view option, Number value, std::type_identity_t<Number> min,
                   std::type_identity_t<Number> max) const {
    if (value >= min && value <= max) return;
    refuse(std::string(option) + " " + std::to_string(value) + " is not " + std::to_string(min) + " to " +
           std::to_string(max));
  }
  /// Refuses what is shorter than `min` or longer than max_duration. The text is in the unit of the option's type.
  template <class Rep, class Period>
  void check_duration(std::string_view option, std::chrono::duration<Rep, Period> value,
                      std::type_identity_t<std::chrono::duration<Rep, Period>> min) const {
    if (value >= min && value <= max_duration) return;
    const std::string unit(unit_of<Period>());
    refuse(std::string(option) + " of " + std::to_string(value.count()) + unit + " is not " +
           std::to_string(min.count()) + unit + " to 365 days");
  }

  /// Checks the ranges that ConnectionLimits documents.
  void check_limits(const ConnectionLimits& limits) const;
  /// Refuses a registry without codecs.
  void check_codecs(const CodecRegistry& codecs) const;
  /// Refuses a name that is not empty, "identity", or the name of one of `compressors`.
  void check_compressor(std::string_view name, const CompressorRegistry& compressors) const;
  /// Refuses a null pointer.
  void check_interceptors(const std::vector<std::shared_ptr<Interceptor>>& interceptors) const;

 private:
  template <class Period>
  static constexpr std::string_view unit_of() noexcept {
    if constexpr (std::is_same_v<Period, std::nano>) return " ns";
    if constexpr (std::is_same_v<Period, std::micro>) return " us";
    if constexpr (std::is_same_v<Period, std::milli>) return " ms";
    if constexpr (std::is_same_v<Period, std::ratio<1>>) return " s";
  }

  std::string_view subject_;
};

}  // namespace trunkline::call
