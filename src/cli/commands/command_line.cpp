// SPDX-License-Identifier: MIT
// CommandLine: runs CLI11's parser over the table of commands.
#include "cli/commands/command_line.h"

#include "cli/commands/foreign_words.h"
#include "cli/output/standard_streams.h"
#include "cli/output/suggestion.h"
#include "cli/output/terminal.h"
#include "cli/process/failure.h"

#include <trunkline/result.h>

#include <unistd.h>

#include <csignal>
#include <exception>
#include <stdexcept>

namespace trunkline::cli::commands {
namespace {

/// Prints an error and returns the exit status. `text` may contain text from a peer.
int report_error(int exit_status, const std::string& text) {
  output::write_message(output::Style(STDERR_FILENO).error("trunkline:") + " " + output::escaped(text, true) + "\n");
  return exit_status;
}

/// Returns the commands or options for which `word` may be a misspelling.
std::vector<std::string> words_like(const std::string& word, const CLI::App& app) {
  std::vector<std::string> words;
  if (!word.starts_with('-')) {
    for (const CLI::App* const each :
         app.get_subcommands([](const CLI::App* sub) { return !sub->get_group().empty(); }))
      words.push_back(each->get_name());
    return words;
  }
  for (const CLI::Option* const option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  }
  return words;
}

/// Returns the words before the name of `app`: "trunkline" for a command.
std::string path_to(const CLI::App& app) {
  std::string path;
  for (const CLI::App* each = app.get_parent(); each != nullptr; each = each->get_parent()) {
    path = each->get_name() + (path.empty() ? "" : " ") + path;
  }
  return path;
}

}  // namespace

CommandLine::CommandLine() : app_("Calls, inspects and measures Trunkline servers.", "trunkline") {
  app_.set_version_flag("--version", "trunkline " TRUNKLINE_VERSION, "Print the version and exit");
  app_.require_subcommand(1);
  app_.footer("trunkline COMMAND --help shows the options and examples of a command.");
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
    output::write_output(chosen().help(path_to(chosen())));
    return process::exit_status::ok;
  } catch (const CLI::CallForVersion& version) {
    output::write_output(std::string(version.what()) + "\n");
    return process::exit_status::ok;
  } catch (const CLI::ParseError& error) {
    return refuse(error, {arguments + 1, arguments + count});
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
    return process::exit_status::usage;
  } catch (const process::OutputClosed&) {
    return process::exit_status::signal_base + SIGPIPE;
  } catch (const process::Failure& failure) {
    return report_error(failure.exit_status(), failure.what());
  } catch (const StatusError& error) {
    return report_error(process::exit_status::of(error.status().code()), output::escaped(error.what()));
  } catch (const std::invalid_argument& error) {
    return report_error(process::exit_status::usage, output::escaped(error.what()));
  } catch (const std::exception& error) {
    return report_error(process::exit_status::failed, output::escaped(error.what()));
  }
}

int CommandLine::refuse(const CLI::ParseError& error, const std::vector<std::string>& words) const {
  // A later word may be a command too ("localhost:8888 list").
  const bool is_command =
      !words.empty() &&
      !app_.get_subcommands([&](const CLI::App* sub) { return sub->get_name() == words.front(); }).empty();
  const CLI::App& app = is_command ? chosen() : app_;
  std::string text = output::escaped(error.what());
  const std::vector<std::string> extras = app_.remaining(true);
  if (app.get_parent() == nullptr) {
    text = "expected a command";
    if (!words.empty()) {
      const std::string& first = words.front();
      std::string hint = output::escaped(output::fit_text(hint_for_command(words), 200));
      if (hint.empty()) hint = output::did_you_mean(first, words_like(first, app));
      text = "unknown command '" + output::escaped(output::fit_text(first, 60)) + "'" + hint;
    }
  } else if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    const std::string first = extras.empty() ? "" : extras.front();
    std::string hint = hint_for_option(first);
    if (hint.empty()) hint = output::did_you_mean(first, words_like(first, app));
    text = "unexpected argument '" + output::escaped(output::fit_text(first, 60)) + "'" + hint;
  }
  const std::string path = path_to(app);
  const std::string help = path.empty() ? "trunkline" : path + " " + app.get_name();
  return report_error(process::exit_status::usage, text + "\n" + help + " --help lists the options");
}

}  // namespace trunkline::cli::commands
