// SPDX-License-Identifier: MIT
// The shell's name chooses who writes.
#include "cli/completion_command.h"

#include "cli/completion_script.h"
#include "cli/exit_status.h"
#include "cli/output.h"

namespace trunkline::cli {

void CompletionCommand::declare(CLI::App& app) {
  app_ = &app;
  app.add_option("shell", shell_, "bash, zsh or fish")
      ->type_name("bash|zsh|fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}).description(""));
}

int CompletionCommand::run() {
  const CLI::App& root = *app_->get_parent();
  if (shell_ == "bash") write_output(bash_completion(root));
  if (shell_ == "zsh") write_output(zsh_completion(root));
  if (shell_ == "fish") write_output(fish_completion(root));
  return exit_status::ok;
}

}  // namespace trunkline::cli
