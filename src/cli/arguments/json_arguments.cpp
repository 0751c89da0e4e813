// SPDX-License-Identifier: MIT
// JsonArguments: checks that at most one of the three sources is given.
#include "cli/arguments/json_arguments.h"

#include "cli/output/terminal.h"
#include "cli/process/failure.h"

namespace trunkline::cli::arguments {

std::string refuse_empty(const std::string& text) { return text.empty() ? "is empty" : ""; }

void JsonArguments::declare(CLI::App& app, const Texts& texts) {
  app.add_option("input", argument_, texts.dash)->type_name("");
  auto* const json =
      app.add_option("--json", json_, texts.json)->type_name("TEXT")->check(CLI::Validator(refuse_empty, ""));
  app.add_option("--file", file_, "Requests as JSON from a file")
      ->type_name("FILE")
      ->check(CLI::Validator(refuse_empty, ""))
      ->excludes(json);
}

void JsonArguments::check(const std::string& hint, bool is_alone, const std::string& others) const {
  if (!argument_.empty() && !is_dash()) {
    throw process::usage_error("unexpected argument '" + output::escaped(output::fit_text(argument_, 60)) + "'" + hint);
  }
  if (is_dash() && (json_ || !file_.empty() || !is_alone)) {
    throw process::usage_error("- cannot be combined with --json, " + others);
  }
}

}  // namespace trunkline::cli::arguments
