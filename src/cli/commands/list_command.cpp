// SPDX-License-Identifier: MIT
// ListCommand: prints the names of services, or one service, method or type.
#include "cli/commands/list_command.h"

#include "cli/output/standard_streams.h"
#include "cli/output/terminal.h"
#include "cli/process/exit_status.h"
#include "cli/schema/definition_text.h"

namespace trunkline::cli::commands {
namespace {

/// Describes a service, method or type. Throws Failure if there is nothing of that name.
std::string describe(schema::Schema& schema, const std::string& name) {
  if (const auto* const service = schema.find_service(name)) return schema::describe_service(*service);
  const schema::SchemaMethod method = schema.try_find_method(name);
  if (method.descriptor != nullptr) return schema::describe_method(method);
  if (const std::string type = schema::describe_type(schema.pool(), name); !type.empty()) return type;
  schema.refuse("name", name);
}

}  // namespace

void ListCommand::declare(CLI::App& app) {
  connection_.declare(app);
  app.add_option("name", name_, "A service, one of its methods, or a message; default: all services")->type_name("");
  call_.declare(app);
  schema_.declare(app);
}

int ListCommand::run() {
  const CallOptions options = call_.options();
  const std::string endpoint = connection_.endpoint();
  const std::unique_ptr<Channel> channel = connection_.connect();
  schema::Schema schema(schema_.source(*channel, endpoint, options));
  if (!name_.empty()) {
    output::write_output(describe(schema, name_));
    return process::exit_status::ok;
  }
  std::string names;
  for (const std::string& service : schema.services()) names += output::escaped(service) + "\n";
  output::write_output(names);
  return process::exit_status::ok;
}

}  // namespace trunkline::cli::commands
