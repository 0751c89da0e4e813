// SPDX-License-Identifier: MIT
// Scripts from a small tree; that shells take them is tested in tests/python/test_command_completion.py.
#include "cli/commands/completion_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trunkline::cli::commands {
namespace {

using testing::HasSubstr;
using testing::Not;

class CompletionScript : public testing::Test {
 protected:
  CompletionScript() {
    CLI::App* const call = app_.add_subcommand("call", "Calls: it's [quick]");
    call->add_option("--file", text_, "Input")->type_name("FILE");
    call->add_option("--codec", text_, "Codec")->type_name("json|bytes");
    call->add_flag("-v,--verbose", flag_, "More");
    CLI::App* const list = app_.add_subcommand("list", "Lists");
    list->add_option("endpoint", text_, "Server");
    app_.add_subcommand("hidden", "Not for people")->group("");
    CLI::App* const shell = app_.add_subcommand("shell", "Shells");
    shell->add_option("name", text_, "Which")->type_name("bash|fish");
  }

  std::string text_;
  bool flag_ = false;
  CLI::App app_{"An app", "trunkline"};
};

TEST_F(CompletionScript, BashKnowsCommandsOptionsAndValues) {
  const std::string script = bash_completion(app_);

  EXPECT_THAT(script, HasSubstr("'call list shell -h --help'"));
  EXPECT_THAT(script, HasSubstr("call) COMPREPLY=($(compgen -W '-h --help --file --codec -v --verbose' "));
  EXPECT_THAT(script, HasSubstr("call\\ --file) COMPREPLY=($(compgen -f "));
  EXPECT_THAT(script, HasSubstr("call\\ --codec) COMPREPLY=($(compgen -W 'json bytes' "));
  EXPECT_THAT(script, HasSubstr("shell) COMPREPLY=($(compgen -W '-h --help bash fish' "));
}

TEST_F(CompletionScript, CommandsWithAnEndpointAskTheServerForNames) {
  EXPECT_THAT(bash_completion(app_), HasSubstr("list) COMPREPLY=(); [[ $current == -* ]] || _trunkline_names\n"));
  EXPECT_THAT(zsh_completion(app_), HasSubstr("'*:argument:_trunkline_names'"));
  EXPECT_THAT(fish_completion(app_), HasSubstr("seen_subcommand_from list' -a '(__trunkline_names)'\n"));
  EXPECT_THAT(fish_completion(app_), Not(HasSubstr("seen_subcommand_from call' -a")));
}

TEST_F(CompletionScript, HiddenCommandsAreNotOffered) {
  for (const std::string& script : {bash_completion(app_), zsh_completion(app_), fish_completion(app_)})
    EXPECT_THAT(script, Not(HasSubstr("hidden")));
}

TEST_F(CompletionScript, ZshTextsAreEscaped) {
  const std::string script = zsh_completion(app_);

  EXPECT_THAT(script, HasSubstr("'call:Calls\\: it'\\''s \\[quick\\]'"));
  EXPECT_THAT(script, HasSubstr("'*--file[Input]:file:_files'"));
  EXPECT_THAT(script, HasSubstr("'*--codec[Codec]:value:(json bytes)'"));
}

TEST_F(CompletionScript, FishHasALineForEachOption) {
  const std::string script = fish_completion(app_);

  EXPECT_THAT(script, HasSubstr("-n '__fish_seen_subcommand_from call' -s v -l verbose -d 'More'\n"));
  EXPECT_THAT(script, HasSubstr("-n '__fish_seen_subcommand_from call' -l codec -x -a 'json bytes' -d 'Codec'\n"));
}

}  // namespace
}  // namespace trunkline::cli::commands
