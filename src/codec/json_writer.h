// SPDX-License-Identifier: MIT
// JsonWriter: writes a Value as compact JSON.
#pragma once

#include <codec/value_writer.h>

namespace trunkline::codec {

/// Writes a double with the fewest digits that read back as the same value, and always with a decimal point or an
/// exponent, so that it is read back as a double. NaN and infinity are errors.
class JsonWriter final : public ValueWriter {
 protected:
  std::string_view scalar(const Value& value) override;
  std::string_view begin(const Value& container) override;
  std::string_view member_name(std::string_view name) override;
  void separate() override;
  void end(const Value& container) override;

 private:
  void text(std::string_view content);
  template <class T>
  void integer(T number);
  void real(double number);
};

}  // namespace trunkline::codec
