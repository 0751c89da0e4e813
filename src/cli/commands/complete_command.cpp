// SPDX-License-Identifier: MIT
// CompleteCommand: reads the unfinished line with its command's options, then asks the server or the files for names.
#include "cli/commands/complete_command.h"

#include "cli/arguments/call_arguments.h"
#include "cli/arguments/connection_arguments.h"
#include "cli/arguments/schema_arguments.h"
#include "cli/output/standard_streams.h"
#include "cli/process/exit_status.h"
#include "cli/process/failure.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>

namespace trunkline::cli::commands {
namespace {

constexpr std::chrono::seconds patience{1};

enum class Wanted : unsigned char { services, methods, both };

std::optional<Wanted> wanted_by(std::string_view command) {
  if (command == "list") return Wanted::both;
  if (command == "call" || command == "bench" || command == "stats") return Wanted::methods;
  if (command == "health") return Wanted::services;
  return std::nullopt;
}

/// The finished words of a line.
struct Line {
  std::vector<std::string> positional;
  /// The options that concern the connection and the definitions, in the form "--name=value" or "-xvalue".
  std::vector<std::string> options;
  bool ends_with_option = false;  ///< True if the next word is an option's value.
};

/// Reads a line. `known` has the options to keep. Options that the command does not know are taken for flags.
Line read_line(const std::vector<std::string>& words, const CLI::App& command, const CLI::App& known) {
  Line line;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!word.starts_with('-') || word == "-") {
      line.positional.push_back(word);
      continue;
    }
    const bool is_long = word.starts_with("--");
    const std::string name = is_long ? word.substr(0, word.find('=')) : word.substr(0, 2);
    const CLI::Option* const option = command.get_option_no_throw(name);
    if (option == nullptr) continue;
    const bool is_kept = known.get_option_no_throw(name) != nullptr;
    if (option->get_items_expected_max() == 0 || word.size() > name.size()) {
      if (is_kept) line.options.push_back(word);
      continue;
    }
    if (i + 1 == words.size()) {
      line.ends_with_option = true;
      return line;
    }
    ++i;
    if (is_kept) line.options.push_back(is_long ? name + "=" + words[i] : name + words[i]);
  }
  return line;
}

/// Returns true for a name that a shell leaves as it is: names come from the server, and a shell expands some words.
bool is_plain_word(std::string_view name) {
  constexpr std::size_t max_length = 256;
  return !name.empty() && name.size() <= max_length && std::all_of(name.begin(), name.end(), [](char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
           byte == '.' || byte == '/' || byte == '_' || byte == '-';
  });
}

std::vector<std::string> names(schema::Schema& schema, Wanted wanted) {
  const auto until = std::chrono::steady_clock::now() + patience;
  std::vector<std::string> found;
  for (const std::string& service : schema.services()) {
    if (wanted != Wanted::methods) found.push_back(service);
    if (wanted == Wanted::services || std::chrono::steady_clock::now() >= until) continue;
    const auto* const described = schema.find_service(service);
    for (int i = 0; described != nullptr && i < described->method_count(); ++i) {
      found.push_back(schema::info_of(*described->method(i)).path);
    }
  }
  return found;
}

}  // namespace

void CompleteCommand::declare(CLI::App& app) {
  app_ = &app;
  app.group("");  // The empty group hides the command from --help.
  app.add_option("words", words_, "The words after `trunkline`, up to the one at the cursor, which may be empty")
      ->type_name("");
}

int CompleteCommand::run() {
  if (words_.size() < 2) return process::exit_status::ok;
  const std::string& typed = words_.back();
  const std::optional<Wanted> wanted = wanted_by(words_.front());
  if (!wanted) return process::exit_status::ok;
  const CLI::App& command = *app_->get_parent()->get_subcommand(words_.front());

  CLI::App known;
  arguments::ConnectionArguments connection;
  arguments::SchemaArguments definitions;
  arguments::CallArguments call;
  connection.declare(known);
  definitions.declare(known);
  call.declare(known);
  const Line line = read_line({words_.begin() + 1, words_.end() - 1}, command, known);
  if (line.positional.size() != 1 || line.ends_with_option) return process::exit_status::ok;
  try {
    std::vector<std::string> reversed{"--timeout=1s", line.positional.front()};
    reversed.insert(reversed.begin(), line.options.rbegin(), line.options.rend());
    known.parse(std::move(reversed));
    const std::string endpoint = connection.endpoint();
    ChannelOptions options = connection.options(endpoint);
    options.connect_timeout = patience;
    Channel channel(endpoint, std::move(options));
    schema::Schema schema(definitions.source(channel, endpoint, call.options()));
    std::string text;
    for (const std::string& name : names(schema, *wanted)) {
      if (name.starts_with(typed) && is_plain_word(name)) text += name + "\n";
    }
    output::write_output(text);
  } catch (const process::OutputClosed&) {
    throw;
  } catch (const std::exception&) {
    // There is nothing to offer.
  }
  return process::exit_status::ok;
}

}  // namespace trunkline::cli::commands
