// SPDX-License-Identifier: MIT
// Reads commands, options and kinds of values from the tree of options; each shell has a generator of its own.
#include "cli/commands/completion_script.h"

#include <string_view>
#include <vector>

namespace trunkline::cli::commands {
namespace {

enum class Value : unsigned char { none, any, file, folder, choice };

struct Option {
  std::vector<std::string> names;  ///< The names with their dashes.
  std::string summary;
  Value value = Value::none;
  std::vector<std::string> choices;
};

struct Node {
  std::string name;
  std::string summary;
  std::vector<Option> options;
  std::vector<std::string> positional_choices;
  /// True if the server named on the line can complete an argument.
  bool takes_names = false;
};

constexpr std::string_view endpoint_argument = "endpoint";

/// Returns false for commands without a group, which are not for people.
bool is_shown(const CLI::App* app) { return !app->get_group().empty(); }

std::vector<std::string> split_choices(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t bar = text.find('|');
    parts.emplace_back(text.substr(0, bar));
    text.remove_prefix(bar == std::string_view::npos ? text.size() : bar + 1);
  }
  return parts;
}

/// Describes an option. Its value follows from the name of the type: FILE, DIR, one of "a|b|c", or anything.
Option option_of(const CLI::Option& option) {
  Option made{.names = {}, .summary = option.get_description(), .value = Value::none, .choices = {}};
  for (const std::string& name : option.get_snames()) made.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) made.names.push_back("--" + name);
  const std::string type = option.get_type_name();
  if (option.get_items_expected_max() == 0) return made;
  made.value = type == "FILE" ? Value::file : type == "DIR" ? Value::folder : Value::any;
  if (type.find('|') != std::string::npos) {
    made.value = Value::choice;
    made.choices = split_choices(type);
  }
  return made;
}

Node node_of(const CLI::App& app) {
  Node node{.name = app.get_name(),
            .summary = app.get_description(),
            .options = {},
            .positional_choices = {},
            .takes_names = false};
  for (const CLI::Option* const option : app.get_options()) {
    Option made = option_of(*option);
    if (!option->get_positional()) {
      node.options.push_back(std::move(made));
    } else if (made.value == Value::choice) {
      node.positional_choices = std::move(made.choices);
    } else if (option->get_name(true) == endpoint_argument) {
      node.takes_names = true;
    }
  }
  for (const CLI::App* const sub : app.get_subcommands(is_shown)) node.positional_choices.push_back(sub->get_name());
  return node;
}

std::vector<Node> commands_of(const CLI::App& root) {
  std::vector<Node> nodes;
  for (const CLI::App* const app : root.get_subcommands(is_shown)) nodes.push_back(node_of(*app));
  return nodes;
}

std::string join(const std::vector<std::string>& parts, std::string_view between) {
  std::string text;
  for (const std::string& part : parts) text.append(text.empty() ? "" : between).append(part);
  return text;
}

std::string names_of(const std::vector<Option>& options) {
  std::string text;
  for (const Option& option : options) text += (text.empty() ? "" : " ") + join(option.names, " ");
  return text;
}

std::string names_of(const std::vector<Node>& nodes) {
  std::string text;
  for (const Node& node : nodes) text += (text.empty() ? "" : " ") + node.name;
  return text;
}

/// Quotes the text for every shell.
std::string shell_text(std::string_view text) {
  std::string result = "'";
  for (const char byte : text) result += byte == '\'' ? std::string("'\\''") : std::string(1, byte);
  return result + "'";
}

/// Returns the cases of a bash script that complete the values of options.
std::string bash_values(const Node& node) {
  std::string text;
  for (const Option& option : node.options) {
    if (option.value == Value::none) continue;
    // A blank must be escaped in a pattern.
    text += "        " + node.name + "\\ " + join(option.names, "|" + node.name + "\\ ") + ") ";
    switch (option.value) {
      case Value::file:
        text += "COMPREPLY=($(compgen -f -- \"$current\")); compopt -o filenames 2>/dev/null";
        break;
      case Value::folder:
        text += "COMPREPLY=($(compgen -d -- \"$current\")); compopt -o filenames 2>/dev/null";
        break;
      case Value::choice:
        text += "COMPREPLY=($(compgen -W " + shell_text(join(option.choices, " ")) + " -- \"$current\"))";
        break;
      default:
        text += "COMPREPLY=()";
    }
    text += "; return ;;\n";
  }
  return text;
}

/// Defines the function that adds the names which the server on the line offers. It joins words first, because bash
/// splits them at colons and equals signs, which endpoints and metadata contain.
constexpr std::string_view bash_names =
    "_trunkline_names() {\n"
    "    local words=() is_joined= word i name\n"
    "    for ((i = 0; i <= COMP_CWORD; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        case $word in\n"
    "            \\'*\\') word=${word#\\'} word=${word%\\'} ;;\n"
    "            '\"'*'\"') word=${word#'\"'} word=${word%'\"'} ;;\n"
    "        esac\n"
    "        if [[ -n $is_joined || $word =~ ^[:=]+$ ]] && (( i > 1 )); then\n"
    "            words[${#words[@]}-1]+=$word\n"
    "        else\n"
    "            words+=(\"$word\")\n"
    "        fi\n"
    "        is_joined=\n"
    "        if [[ $word =~ ^[:=]+$ ]]; then is_joined=1; fi\n"
    "    done\n"
    "    while IFS= read -r name; do\n"
    "        COMPREPLY+=(\"$name\")\n"
    "    done < <(\"${words[0]/#\\~/$HOME}\" complete -- \"${words[@]:1}\" 2>/dev/null </dev/null)\n"
    "}\n";

constexpr std::string_view zsh_names =
    "_trunkline_names() {\n"
    "    local -a names\n"
    "    names=(${(f)\"$(${~${(Q)program}} complete -- \"${(@Q)words[1,CURRENT]}\" 2>/dev/null </dev/null)\"})\n"
    "    compadd -a names\n"
    "}\n";

constexpr std::string_view fish_names =
    "function __trunkline_names\n"
    "    set -l words (commandline -opc)\n"
    "    set -l current (commandline -ct)\n"
    "    $words[1] complete -- $words[2..-1] \"$current\" 2>/dev/null </dev/null\n"
    "end\n";

std::string zsh_action(const Option& option) {
  switch (option.value) {
    case Value::none:
      return {};
    case Value::file:
      return ":file:_files";
    case Value::folder:
      return ":folder:_files -/";
    case Value::choice:
      return ":value:(" + join(option.choices, " ") + ")";
    case Value::any:
      return ":value:";
  }
  return {};
}

/// Escapes brackets and colons, which have a meaning in a specification.
std::string zsh_text(std::string_view text) {
  std::string result;
  for (const char byte : text) {
    if (byte == '[' || byte == ']' || byte == ':') result += '\\';
    result += byte;
  }
  return result;
}

/// Returns the action that completes the arguments of a command.
std::string zsh_argument(const Node& node) {
  const std::string choices = join(node.positional_choices, " ");
  if (!node.takes_names) return choices.empty() ? "" : "(" + choices + ")";
  return choices.empty() ? "_trunkline_names" : "{_trunkline_names; compadd " + choices + "}";
}

std::string fish_option(const std::string& command, const Option& option) {
  std::string line = "complete -c trunkline -n '__fish_seen_subcommand_from " + command + "'";
  for (const std::string& name : option.names) {
    const bool is_long = name.starts_with("--");
    line += (is_long ? " -l " : " -s ") + name.substr(is_long ? 2 : 1);
  }
  if (option.value == Value::any) line += " -x";
  if (option.value == Value::file) line += " -r -F";
  if (option.value == Value::folder) line += " -x -a '(__fish_complete_directories)'";
  if (option.value == Value::choice) line += " -x -a " + shell_text(join(option.choices, " "));
  return line + " -d " + shell_text(option.summary) + "\n";
}

}  // namespace

std::string bash_completion(const CLI::App& root) {
  const std::vector<Node> commands = commands_of(root);
  const Node top = node_of(root);
  std::string text = std::string(bash_names) +
                     "_trunkline() {\n"
                     "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command= i\n"
                     "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
                     "        [[ ${COMP_WORDS[i]} == -* ]] || { command=${COMP_WORDS[i]}; break; }\n"
                     "    done\n"
                     "    case \"$command $previous\" in\n";
  for (const Node& node : commands) text += bash_values(node);
  text += "    esac\n    case \"$command\" in\n";
  for (const Node& node : commands) {
    const std::string positional = join(node.positional_choices, " ");
    text += "        " + node.name + ") ";
    if (node.takes_names) {
      text += "COMPREPLY=(); [[ $current == -* ]] || _trunkline_names\n            ";
      text += "(( ${#COMPREPLY[@]} )) || ";
    }
    text += "COMPREPLY=($(compgen -W ";
    text +=
        shell_text(names_of(node.options) + (positional.empty() ? "" : " " + positional)) + " -- \"$current\")) ;;\n";
  }
  text += "        '') COMPREPLY=($(compgen -W " + shell_text(names_of(commands) + " " + names_of(top.options)) +
          " -- \"$current\")) ;;\n";
  return text + "    esac\n}\ncomplete -F _trunkline trunkline\n";
}

std::string zsh_completion(const CLI::App& root) {
  const std::vector<Node> commands = commands_of(root);
  std::string text = "#compdef trunkline\n" + std::string(zsh_names) +
                     "_trunkline() {\n    local program=${words[1]}\n    local -a commands\n    commands=(\n";
  for (const Node& node : commands) text += "        " + shell_text(node.name + ":" + zsh_text(node.summary)) + "\n";
  text += "    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        _arguments";
  for (const Option& option : node_of(root).options) {
    for (const std::string& name : option.names) text += " " + shell_text(name + "[" + zsh_text(option.summary) + "]");
  }
  text +=
      "\n        return\n    fi\n    local command=${words[2]}\n    shift words\n    (( CURRENT-- ))\n    case "
      "$command in\n";
  for (const Node& node : commands) {
    text += "        " + node.name + ")\n            _arguments";
    for (const Option& option : node.options) {
      for (const std::string& name : option.names) {
        text += " \\\n                " +
                shell_text("*" + name + "[" + zsh_text(option.summary) + "]" + zsh_action(option));
      }
    }
    text += " \\\n                " + shell_text("*:argument:" + zsh_argument(node)) + " ;;\n";
  }
  return text +
         "    esac\n}\nif [[ ${funcstack[1]} == _trunkline ]]; then\n    _trunkline \"$@\"\nelse\n"
         "    compdef _trunkline trunkline\nfi\n";
}

std::string fish_completion(const CLI::App& root) {
  const std::vector<Node> commands = commands_of(root);
  std::string text = std::string(fish_names) + "complete -c trunkline -f\n";
  for (const Node& node : commands) {
    text += "complete -c trunkline -n __fish_use_subcommand -a " + node.name + " -d " + shell_text(node.summary) + "\n";
  }
  for (const Node& node : commands) {
    for (const Option& option : node.options) text += fish_option(node.name, option);
    if (node.takes_names) {
      text += "complete -c trunkline -n '__fish_seen_subcommand_from " + node.name + "' -a '(__trunkline_names)'\n";
    }
    if (node.positional_choices.empty()) continue;
    text += "complete -c trunkline -n '__fish_seen_subcommand_from " + node.name + "' -a " +
            shell_text(join(node.positional_choices, " ")) + "\n";
  }
  return text;
}

}  // namespace trunkline::cli::commands
