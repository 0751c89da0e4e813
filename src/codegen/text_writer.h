// SPDX-License-Identifier: MIT
// TextWriter: lines of generated code and their indentation.
#pragma once

#include <string>
#include <string_view>

namespace trunkline::codegen {

class TextWriter {
 public:
  /// `step`: the blanks of one level.
  explicit TextWriter(std::size_t step) : step_(step) {}

  /// One line of all the parts; without any, an empty one.
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
