// SPDX-License-Identifier: MIT
// Texts of what does not fit a plain type.
#include <trunkline/plain_reading.h>

#include <codec/codec_error.h>

namespace trunkline::plain {

bool Misfit::below(std::string_view step) {
  path.insert(0, "/" + codec::printable(step));
  return false;
}

bool Misfit::because(std::string why) {
  reason = std::move(why);
  return false;
}

bool Misfit::expected(std::string_view what, const Value& found) {
  return because("expected " + std::string(what) + ", not " + std::string(to_string(found.kind())));
}

std::string Misfit::text() const { return path.empty() ? reason : "at " + path + ": " + reason; }

}  // namespace trunkline::plain
