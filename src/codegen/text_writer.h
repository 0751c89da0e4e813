// SPDX-License-Identifier: MIT
// TextWriter: writes lines of generated code with indentation.
#pragma once

#include <string>
#include <string_view>

namespace trunkline::codegen {

class TextWriter {
 public:
  /// `step` is the number of spaces per level.
  explicit TextWriter(std::size_t step) : step_(step) {}

  /// Writes one line of all the parts; without parts, an empty line.
  template <class... Parts>
  void line(const Parts&... parts) {
    if ((std::string_view(parts).size() + ... + 0) > 0) text_.append(level_ * step_, ' ');
    (text_.append(std::string_view(parts)), ...);
    text_ += '\n';
  }

  void indent() { ++level_; }
  void outdent() { --level_; }

  std::string take() && { return std::move(text_); }

 private:
  std::size_t step_;
  std::size_t level_ = 0;
  std::string text_;
};

}  // namespace trunkline::codegen
