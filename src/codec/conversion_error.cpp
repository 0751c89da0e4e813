// SPDX-License-Identifier: MIT
// ConversionError: the texts of conversion errors.
#include <trunkline/detail/conversion_error.h>
#include <trunkline/value.h>

#include <codec/codec_error.h>

namespace trunkline::detail {

bool ConversionError::prepend_step(std::string_view step) {
  path.insert(0, "/" + codec::printable(step));
  return false;
}

bool ConversionError::set_reason(std::string why) {
  reason = std::move(why);
  return false;
}

bool ConversionError::set_expected(std::string_view what, const Value& found) {
  return set_reason("expected " + std::string(what) + ", not " + std::string(to_string(found.kind())));
}

std::string ConversionError::text() const { return path.empty() ? reason : "at " + path + ": " + reason; }

}  // namespace trunkline::detail
