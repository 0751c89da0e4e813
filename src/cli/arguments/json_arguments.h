// SPDX-License-Identifier: MIT
// JsonArguments: declares requests as JSON, from the command line, a file or standard input.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

namespace trunkline::cli::arguments {

/// Works as a CLI11 validator that refuses empty texts.
std::string refuse_empty(const std::string& text);

class JsonArguments {
 public:
  /// The help texts of the arguments.
  struct Texts {
    const char* dash;
    const char* json;
  };

  /// Declares the argument "-", --json and --file.
  void declare(CLI::App& app, const Texts& texts);
  /// Checks the combination. Throws Failure for an argument other than "-", with `hint` after the message, and
  /// if "-" is combined with another source. `is_alone` is true if no source besides these three is given.
  /// `others` are the options, besides --json, that "-" excludes; the message of the Failure names all of
  /// these.
  void check(const std::string& hint, bool is_alone, const std::string& others) const;

  bool is_given() const noexcept { return json_ || !file_.empty() || !argument_.empty(); }
  bool is_dash() const noexcept { return argument_ == "-"; }
  const std::optional<std::string>& json() const noexcept { return json_; }
  /// Returns the path of the file; empty if the command line names none.
  const std::string& file() const noexcept { return file_; }

 private:
  std::string argument_;
  std::optional<std::string> json_;
  std::string file_;
};

}  // namespace trunkline::cli::arguments
