// SPDX-License-Identifier: MIT
// Names, a service, a method, or a type.
#include "cli/list_command.h"

#include "cli/definition_text.h"
#include "cli/exit_status.h"
#include "cli/output.h"
#include "cli/terminal.h"

namespace trunkline::cli {
namespace {

/// Throws Failure if there is nothing of that name.
std::string describe(Schema& schema, const std::string& name) {
  if (const auto* const service = schema.find_service(name)) return describe_service(*service);
  const MethodFacts method = schema.look_for_method(name);
  if (method.descriptor != nullptr) return describe_method(method);
  if (const std::string type = describe_type(schema.pool(), name); !type.empty()) return type;
  schema.refuse("name", name);
}

}  // namespace

void ListCommand::declare(CLI::App& app) {
  connection_.declare(app);
  app.add_option("name", name_, "A service, one of its methods, or a message; without it: all services")->type_name("");
  call_.declare(app);
  schema_.declare(app);
}

int ListCommand::run() {
  const CallOptions options = call_.options();
  const std::string endpoint = connection_.endpoint();
  const std::unique_ptr<Channel> channel = connection_.connect();
  Schema schema(schema_.source(*channel, endpoint, options));
  if (!name_.empty()) {
    write_output(describe(schema, name_));
    return exit_status::ok;
  }
  std::string names;
  for (const std::string& service : schema.services()) names += harmless(service) + "\n";
  write_output(names);
  return exit_status::ok;
}

}  // namespace trunkline::cli
