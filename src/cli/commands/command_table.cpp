// SPDX-License-Identifier: MIT
// command_table(): has one row per command, with its examples.
#include "cli/commands/bench_command.h"
#include "cli/commands/call_command.h"
#include "cli/commands/command.h"
#include "cli/commands/complete_command.h"
#include "cli/commands/completion_command.h"
#include "cli/commands/health_command.h"
#include "cli/commands/list_command.h"
#include "cli/commands/serve_command.h"
#include "cli/commands/servers_command.h"
#include "cli/commands/stats_command.h"

#include <array>

namespace trunkline::cli::commands {
namespace {

template <class Made>
std::unique_ptr<Command> make() {
  return std::make_unique<Made>();
}

constexpr std::array commands{
    CommandEntry{"list", "List services, a service's methods, or a method's messages",
                 "Examples:\n"
                 "  trunkline list tcp://localhost:8888\n"
                 "  trunkline list tcp://localhost:8888 example.Echo\n"
                 "  trunkline list tcp://localhost:8888 example.Echo/Say\n"
                 "  trunkline list localhost:8888 --proto echo.proto -I protos\n",
                 &make<ListCommand>},
    CommandEntry{
        "call", "Call a method with JSON requests and print JSON responses",
        "Examples:\n"
        "  trunkline call tcp://localhost:8888 example.Echo/Say --json '{\"text\": \"hi\"}'\n"
        "  trunkline call tls://host:443 example.Echo/Say -m 'authorization: Bearer abc' --timeout 5s\n"
        "  generate | trunkline call localhost:8888 example.Chat/Talk - | consume\n"
        "  trunkline call localhost:8888 add --codec json --json '{\"a\": 1, \"b\": 2}'\n"
        "\n"
        "Exit status: 0 ok; 64 plus the status code if the call fails (unavailable: 78); 2 for a wrong command\n"
        "line or request; 130 after Ctrl-C; 141 if standard output is closed; 1 for anything else.\n",
        &make<CallCommand>},
    CommandEntry{"health", "Check whether a server or one of its services is ready",
                 "Examples:\n"
                 "  trunkline health tcp://localhost:8888\n"
                 "  trunkline health tcp://localhost:8888 example.Echo --watch\n"
                 "\n"
                 "Exit status: 0 if it is SERVING, 2 for a wrong command line, otherwise 1.\n",
                 &make<HealthCommand>},
    CommandEntry{"servers", "Show the servers that a name stands for, and which of them can be reached",
                 "Examples:\n"
                 "  trunkline servers dns:///orders.example.com:4000\n"
                 "  trunkline servers file:///etc/orders/fleet.json --watch\n"
                 "  trunkline servers grpc://a:50051,b:50051 --json\n"
                 "\n"
                 "Exit status: 0 if one of them can be reached, 1 if none can; 78 if the name has no servers; 2 for a\n"
                 "wrong command line.\n",
                 &make<ServersCommand>},
    CommandEntry{"stats", "Show what a server is doing, method by method",
                 "Examples:\n"
                 "  trunkline stats tcp://localhost:8888 --watch\n"
                 "  trunkline stats tcp://localhost:8888 --watch --interval 5s example.Echo/\n"
                 "  trunkline stats tcp://localhost:8888 --json\n",
                 &make<StatsCommand>},
    CommandEntry{
        "bench", "Generate load and measure rate and latency",
        "Examples:\n"
        "  trunkline bench --self                                       with a server on this machine\n"
        "  trunkline bench serve tcp://0.0.0.0:9000                     the echo service for another machine\n"
        "  trunkline bench host:9000 -c 8 --outstanding 512 -b 1024 --save before.json\n"
        "  trunkline bench host:8888 example.Echo/Say --json '{\"text\": \"hi\"}' --rate 20000 -d 30s\n"
        "  trunkline bench compare before.json after.json\n"
        "  trunkline bench plot before.json latency.svg\n"
        "\n"
        "Exit status: 0 if calls succeeded; 64 plus the status code if none did, responses were wrong (data_loss: 79)\n"
        "or the server went away; 2 for a wrong command line; 130 after Ctrl-C, with a report until then.\n",
        &make<BenchCommand>},
    CommandEntry{"serve", "Serve Python objects: runs python -m trunkline.serve",
                 "Examples:\n"
                 "  trunkline serve app:server\n"
                 "  trunkline serve --python .venv/bin/python app:server --reload\n"
                 "\n"
                 "All other arguments are passed on; `python -m trunkline.serve --help` describes them.\n",
                 &make<ServeCommand>},
    CommandEntry{"completion", "Print a script that completes this command in a shell",
                 "Examples:\n"
                 "  source <(trunkline completion bash)\n"
                 "  trunkline completion zsh > ~/.zfunc/_trunkline\n"
                 "  trunkline completion fish > ~/.config/fish/completions/trunkline.fish\n",
                 &make<CompletionCommand>},
    CommandEntry{"complete", "Print the services and methods that may stand at the cursor, for completion scripts",
                 "Example:\n"
                 "  trunkline complete -- call tcp://localhost:8888 example.\n",
                 &make<CompleteCommand>},
};

}  // namespace

std::span<const CommandEntry> command_table() noexcept { return commands; }

}  // namespace trunkline::cli::commands
