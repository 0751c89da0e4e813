// SPDX-License-Identifier: MIT
// --metadata, --timeout and --wait-for-ready.
#include "cli/call_arguments.h"

#include "cli/duration_text.h"
#include "cli/failure.h"
#include "cli/metadata_argument.h"

namespace trunkline::cli {

void CallArguments::declare(CLI::App& app) {
  app.add_option("-m,--metadata", metadata_, "Metadata to send; may be repeated; base64 where NAME ends in -bin")
      ->type_name("NAME:VALUE")
      ->allow_extra_args(false);
  app.add_option("--timeout", timeout_, "How long the call may take, such as 500ms, 5s or 1m30s")->type_name("TIME");
  app.add_flag("--wait-for-ready", waits_for_ready_, "Wait for the server to come up instead of failing");
}

CallOptions CallArguments::options() const {
  CallOptions options;
  for (const std::string& argument : metadata_) {
    if (const Status status = add_metadata(argument, options.metadata); !status) {
      throw misuse(std::string(status.message()));
    }
  }
  if (!timeout_.empty()) {
    const Result<std::chrono::nanoseconds> timeout = parse_duration(timeout_);
    if (!timeout) throw misuse("--timeout: " + std::string(timeout.status().message()));
    options.timeout = *timeout;
  }
  options.wait_for_ready = waits_for_ready_;
  return options;
}

}  // namespace trunkline::cli
