// SPDX-License-Identifier: MIT
// CompletionCommand: chooses the generator by the name of the shell.
#include "cli/commands/completion_command.h"

#include "cli/commands/completion_script.h"
#include "cli/output/standard_streams.h"
#include "cli/process/exit_status.h"

namespace trunkline::cli::commands {

void CompletionCommand::declare(CLI::App& app) {
  app_ = &app;
  app.add_option("shell", shell_, "bash, zsh or fish")
      ->type_name("bash|zsh|fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}).description(""));
}

int CompletionCommand::run() {
  const CLI::App& root = *app_->get_parent();
  if (shell_ == "bash") output::write_output(bash_completion(root));
  if (shell_ == "zsh") output::write_output(zsh_completion(root));
  if (shell_ == "fish") output::write_output(fish_completion(root));
  return process::exit_status::ok;
}

}  // namespace trunkline::cli::commands
