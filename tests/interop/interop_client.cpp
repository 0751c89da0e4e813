// SPDX-License-Identifier: MIT
// Plays cases against a conformance server and prints a line for each.
// Usage: interop_client ENDPOINT [CASE...] | --list    (without names: all cases that do not end the server)
#include "client.h"

#include <algorithm>
#include <exception>
#include <iostream>
#include <vector>

namespace trunkline::interop {

namespace {

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (const auto cases : {unary_cases(), status_cases(), stream_cases(), metadata_cases(), many_cases(),
                           deadline_cases(), cancel_cases(), ending_cases()}) {
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return all;
}

bool play(const Case& played, Client& client) {
  try {
    played.run(client);
    std::cout << "ok " << played.name << std::endl;
    return true;
  } catch (const std::exception& error) {
    std::cout << "failed " << played.name << ": " << error.what() << std::endl;
    return false;
  }
}

int run(const std::vector<std::string_view>& arguments) {
  const std::vector<Case> all = all_cases();
  if (arguments.front() == "--list") {
    for (const Case& each : all) std::cout << each.name << "\n";
    return 0;
  }
  const std::vector<std::string_view> wanted(arguments.begin() + 1, arguments.end());
  for (std::string_view name : wanted) {
    if (std::ranges::find(all, name, &Case::name) == all.end()) {
      std::cerr << "interop_client: no case '" << name << "'\n";
      return 2;
    }
  }
  Client client{std::string(arguments.front())};
  bool right = true;
  for (const Case& each : all) {
    if (wanted.empty() ? each.ends_server : std::ranges::find(wanted, each.name) == wanted.end()) continue;
    right = play(each, client) && right;
  }
  return right ? 0 : 1;
}

}  // namespace

}  // namespace trunkline::interop

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: " << argv[0] << " ENDPOINT [CASE...] | --list\n";
    return 2;
  }
  try {
    return trunkline::interop::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "interop_client: " << error.what() << "\n";
    return 1;
  }
}
