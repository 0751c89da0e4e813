// SPDX-License-Identifier: MIT
// ForeignWords: has two tables of words, and writes the command line in our order.
#include "cli/commands/foreign_words.h"

#include <algorithm>
#include <array>

namespace trunkline::cli::commands {
namespace {

struct Use {
  std::string_view command;
  /// The form of the command line, and its effect.
  std::string_view form;
};

constexpr Use list{"list", "`trunkline list ENDPOINT NAME` shows a service, a method with its messages, or a message"};
constexpr Use call{"call", "`trunkline call ENDPOINT METHOD --json REQUEST` calls a method"};
constexpr Use health{"health", "`trunkline health ENDPOINT` checks a server"};
constexpr Use stats{"stats", "`trunkline stats ENDPOINT` shows what a server is doing"};
constexpr Use bench{"bench", "`trunkline bench ENDPOINT METHOD` generates load"};

struct Word {
  std::string_view word;
  const Use* use;
};

constexpr std::array command_words{
    Word{"describe", &list}, Word{"desc", &list},     Word{"show", &list},       Word{"inspect", &list},
    Word{"ls", &list},       Word{"services", &list}, Word{"methods", &list},    Word{"reflect", &list},
    Word{"type", &list},     Word{"invoke", &call},   Word{"request", &call},    Word{"send", &call},
    Word{"check", &health},  Word{"ping", &health},   Word{"status", &health},   Word{"top", &stats},
    Word{"metrics", &stats}, Word{"load", &bench},    Word{"benchmark", &bench},
};

struct OptionWord {
  std::string_view word;
  std::string_view hint;
};

constexpr std::array option_words{
    OptionWord{"d", "requests are given by --json, --file or -"},
    OptionWord{"data", "requests are given by --json, --file or -"},
    OptionWord{"H", "metadata is given by -m NAME:VALUE"},
    OptionWord{"header", "metadata is given by -m NAME:VALUE"},
    OptionWord{"rpc-header", "metadata is given by -m NAME:VALUE"},
    OptionWord{"plaintext", "tcp:// endpoints are plain, and tls:// endpoints use TLS"},
    OptionWord{"tls", "tcp:// endpoints are plain, and tls:// endpoints use TLS"},
    OptionWord{"cacert", "the option is --ca"},
    OptionWord{"servername", "the option is --server-name"},
    OptionWord{"import-path", "the option is -I"},
    OptionWord{"protoset", "the option is --descriptor-set"},
    OptionWord{"max-time", "the option is --timeout, such as --timeout 5s"},
    OptionWord{"connect-timeout", "the option is --timeout, such as --timeout 5s"},
    OptionWord{"max-msg-sz", "the option is --max-message-bytes"},
    OptionWord{"unix", "the endpoint of a Unix socket is unix:///PATH"},
};

bool is_endpoint(std::string_view word) { return word.find(':') != std::string_view::npos; }

/// Returns true if a word has the form of an endpoint: a URI, or a host with a port, but not such as NAME:VALUE.
bool have_endpoint(std::span<const std::string> words) {
  return std::any_of(words.begin(), words.end(), [](const std::string& word) {
    const std::size_t colon = word.rfind(':');
    if (word.starts_with('-') || colon == std::string::npos) return false;
    return word.find("://") != std::string::npos ||
           (colon > 0 && colon + 1 < word.size() &&
            word.find_first_not_of("0123456789", colon + 1) == std::string::npos);
  });
}

/// Returns "trunkline list a b": the command, `before` (may be empty) and the words after the first `skipped`.
std::string line_of(std::string_view command, std::string_view before, std::span<const std::string> words,
                    std::size_t skipped) {
  std::string line = "trunkline " + std::string(command);
  if (!before.empty()) line.append(" ").append(before);
  for (const std::string& word : words.subspan(skipped)) line.append(" ").append(word);
  return line;
}

/// Returns a hint for a server that comes first: "localhost:8888 list", "localhost:8888 example.Echo/Say".
std::string hint_for_endpoint(std::span<const std::string> words) {
  std::string_view command = "list";
  std::size_t skipped = 1;
  if (words.size() > 1) {
    const std::string_view second = words[1];
    const Use* use = second == "list" ? &list : second == "call" ? &call : nullptr;
    for (const Word& each : command_words) {
      if (each.word == second) use = each.use;
    }
    if (use != nullptr) {
      command = use->command;
      skipped = 2;
    } else if (second.find('/') != std::string_view::npos) {
      command = "call";
    }
  }
  return "; the command comes first: " + line_of(command, words.front(), words, skipped);
}

}  // namespace

std::string hint_for_command(std::span<const std::string> words) {
  if (words.empty()) return {};
  const std::string_view first = words.front();
  for (const Word& each : command_words) {
    if (each.word != first) continue;
    std::string hint = "; " + std::string(each.use->form);
    const std::string_view endpoint = have_endpoint(words.subspan(1)) ? "" : "ENDPOINT";
    if (words.size() > 1) hint += ": " + line_of(each.use->command, endpoint, words, 1);
    return hint;
  }
  return is_endpoint(first) ? hint_for_endpoint(words) : std::string();
}

std::string hint_for_option(std::string_view word) {
  if (!word.starts_with('-')) return {};
  word.remove_prefix(word.starts_with("--") ? 2 : 1);
  word = word.substr(0, word.find('='));
  for (const OptionWord& each : option_words) {
    if (each.word == word) return "; " + std::string(each.hint);
  }
  return {};
}

}  // namespace trunkline::cli::commands
