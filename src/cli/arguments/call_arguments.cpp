// SPDX-License-Identifier: MIT
// CallArguments: declares --metadata, --timeout and --wait-for-ready.
#include "cli/arguments/call_arguments.h"

#include "cli/arguments/metadata_argument.h"
#include "cli/output/duration_text.h"
#include "cli/process/failure.h"

namespace trunkline::cli::arguments {

void CallArguments::declare(CLI::App& app) {
  app.add_option("-m,--metadata", metadata_, "Metadata to send; repeatable; the value is base64 if NAME ends in -bin")
      ->type_name("NAME:VALUE")
      ->allow_extra_args(false);
  app.add_option("--timeout", timeout_, "Time limit of the call: 300ms, 5s, 2m or 1m30s; a number alone counts seconds")
      ->type_name("TIME");
  app.add_flag("--wait-for-ready", waits_for_ready_, "Wait until the server is reachable instead of failing");
}

CallOptions CallArguments::options() const {
  CallOptions options;
  for (const std::string& argument : metadata_) {
    if (const Status status = add_metadata(argument, options.metadata); !status) {
      throw process::usage_error(std::string(status.message()));
    }
  }
  if (!timeout_.empty()) {
    const Result<std::chrono::nanoseconds> timeout = output::parse_duration(timeout_);
    if (!timeout) throw process::usage_error("--timeout: " + std::string(timeout.status().message()));
    options.timeout = *timeout;
  }
  options.wait_for_ready = waits_for_ready_;
  return options;
}

}  // namespace trunkline::cli::arguments
