// SPDX-License-Identifier: MIT
// JsonArguments: requests as JSON, from the command line, a file or standard input.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

namespace trunkline::cli {

/// An empty text's reason, as CLI11 wants it from a validator; empty if there is something.
std::string refuse_nothing(const std::string& text);

class JsonArguments {
 public:
  /// What the help says of them.
  struct Texts {
    const char* dash;
    const char* json;
  };

  /// The argument "-", --json and --file.
  void declare(CLI::App& app, const Texts& texts);
  /// Throws Failure for another argument than "-", of which `hint` tells more, and where "-" goes with others;
  /// `is_alone` is false if there are, `others` names them besides --json.
  void check(const std::string& hint, bool is_alone, const std::string& others) const;

  bool is_given() const noexcept { return json_ || !file_.empty() || !argument_.empty(); }
  bool is_dash() const noexcept { return argument_ == "-"; }
  const std::optional<std::string>& json() const noexcept { return json_; }
  /// Empty if there is none.
  const std::string& file() const noexcept { return file_; }

 private:
  std::string argument_;
  std::optional<std::string> json_;
  std::string file_;
};

}  // namespace trunkline::cli
