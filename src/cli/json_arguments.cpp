// SPDX-License-Identifier: MIT
// One of the three at most.
#include "cli/json_arguments.h"

#include "cli/failure.h"
#include "cli/terminal.h"

namespace trunkline::cli {

std::string refuse_nothing(const std::string& text) { return text.empty() ? "is empty" : ""; }

void JsonArguments::declare(CLI::App& app, const Texts& texts) {
  app.add_option("input", argument_, texts.dash)->type_name("");
  auto* const json =
      app.add_option("--json", json_, texts.json)->type_name("TEXT")->check(CLI::Validator(refuse_nothing, ""));
  app.add_option("--file", file_, "The same from a file")
      ->type_name("FILE")
      ->check(CLI::Validator(refuse_nothing, ""))
      ->excludes(json);
}

void JsonArguments::check(const std::string& hint, bool is_alone, const std::string& others) const {
  if (!argument_.empty() && !is_dash()) {
    throw misuse("unexpected argument '" + harmless(fit_text(argument_, 60)) + "'" + hint);
  }
  if (is_dash() && (json_ || !file_.empty() || !is_alone)) {
    throw misuse("- goes neither with --json nor with " + others);
  }
}

}  // namespace trunkline::cli
