// SPDX-License-Identifier: MIT
// CLI11's parser over the table of commands.
#include "cli/command_line.h"

#include "cli/failure.h"
#include "cli/output.h"
#include "cli/suggestion.h"
#include "cli/terminal.h"

#include <trunkline/result.h>

#include <unistd.h>

#include <csignal>
#include <exception>
#include <stdexcept>

namespace trunkline::cli {
namespace {

/// `text` may hold what a peer has said.
int complain(int exit_status, const std::string& text) {
  write_message(Style(STDERR_FILENO).error("trunkline:") + " " + harmless(text, true) + "\n");
  return exit_status;
}

/// What may be written where `word` stands.
std::vector<std::string> words_like(const std::string& word, const CLI::App& app) {
  std::vector<std::string> words;
  if (!word.starts_with('-')) {
    for (const CLI::App* const each : app.get_subcommands([](const CLI::App*) { return true; }))
      words.push_back(each->get_name());
    return words;
  }
  for (const CLI::Option* const option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  }
  return words;
}

/// What is written before its name: "trunkline" for a command.
std::string path_to(const CLI::App& app) {
  std::string path;
  for (const CLI::App* each = app.get_parent(); each != nullptr; each = each->get_parent()) {
    path = each->get_name() + (path.empty() ? "" : " ") + path;
  }
  return path;
}

}  // namespace

CommandLine::CommandLine() : app_("Calls and looks after Trunkline servers.", "trunkline") {
  app_.set_version_flag("--version", "trunkline " TRUNKLINE_VERSION, "Print the version and end");
  app_.require_subcommand(1);
  app_.footer("trunkline COMMAND --help tells more, with examples.");
  for (const CommandEntry& entry : command_table()) {
    CLI::App* const app = app_.add_subcommand(entry.name, entry.summary);
    app->footer(entry.examples);
    commands_.push_back({app, entry.make()});
    commands_.back().command->declare(*app);
  }
}

int CommandLine::run(int count, char** arguments) {
  try {
    app_.parse(count, arguments);
    return run_chosen();
  } catch (const CLI::CallForHelp&) {
    write_output(chosen().help(path_to(chosen())));
    return exit_status::ok;
  } catch (const CLI::CallForVersion& version) {
    write_output(std::string(version.what()) + "\n");
    return exit_status::ok;
  } catch (const CLI::ParseError& error) {
    return refuse(error);
  }
}

const CLI::App& CommandLine::chosen() const {
  const CLI::App* app = &app_;
  for (std::vector<CLI::App*> next = app->get_subcommands(); !next.empty(); next = app->get_subcommands()) {
    app = next.front();
  }
  return *app;
}

int CommandLine::run_chosen() {
  try {
    for (const Declared& declared : commands_) {
      if (declared.app->parsed()) return declared.command->run();
    }
    return exit_status::misused;
  } catch (const OutputClosed&) {
    return exit_status::signal_base + SIGPIPE;
  } catch (const Failure& failure) {
    return complain(failure.exit_status(), failure.what());
  } catch (const StatusError& error) {
    return complain(exit_status::of(error.status().code()), harmless(error.what()));
  } catch (const std::invalid_argument& error) {
    return complain(exit_status::misused, harmless(error.what()));
  } catch (const std::exception& error) {
    return complain(exit_status::failed, harmless(error.what()));
  }
}

int CommandLine::refuse(const CLI::ParseError& error) const {
  const CLI::App& app = chosen();
  std::string text = harmless(error.what());
  const std::vector<std::string> extras = app_.remaining(true);
  if (app.get_parent() == nullptr) {
    const std::string first = extras.empty() ? "" : extras.front();
    text = "expected a command";
    if (!first.empty())
      text = "unknown command '" + harmless(first) + "'" + did_you_mean(first, words_like(first, app));
  } else if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    const std::string first = extras.empty() ? "" : extras.front();
    text = "unexpected argument '" + harmless(fit_text(first, 60)) + "'" + did_you_mean(first, words_like(first, app));
  }
  const std::string path = path_to(app);
  const std::string help = path.empty() ? "trunkline" : path + " " + app.get_name();
  return complain(exit_status::misused, text + "\n" + help + " --help tells what there is");
}

}  // namespace trunkline::cli
