// SPDX-License-Identifier: MIT
// Compares the records of a soak run.
// Usage: soak_check NUMBER CLIENT_FILE SERVER_FILE...
// Prints a line for each kind of which the client numbered NUMBER has made calls: its name and the numbers of Tally.
#include "checker.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>

namespace trunkline::soak {
namespace {

void print(std::size_t number, const std::string& client, std::span<char*> server_files) {
  const SharedFile calls(client, calls_per_client);
  std::vector<std::unique_ptr<SharedFile>> files;
  std::vector<std::span<const std::uint8_t>> servers;
  for (const char* path : server_files) {
    files.push_back(std::make_unique<SharedFile>(path, (number + 1) * calls_per_client));
    servers.emplace_back(files.back()->bytes().subspan(number * calls_per_client, calls_per_client));
  }
  const Tallies tallies = check(calls.bytes(), servers);
  for (std::size_t kind = 0; kind < tallies.size(); ++kind) {
    const Tally& tally = tallies.at(kind);
    if (tally.calls == 0) continue;
    std::printf("%s", std::string(kind_names.at(kind)).c_str());
    for (const std::uint64_t count :
         {tally.calls, tally.ok, tally.failed, tally.lost, tally.doubled, tally.denied, tally.hung, tally.wrong}) {
      std::printf(" %llu", static_cast<unsigned long long>(count));
    }
    std::printf("\n");
  }
}

}  // namespace
}  // namespace trunkline::soak

int main(int count, char** values) {
  if (count < 3) {
    std::fprintf(stderr, "usage: soak_check NUMBER CLIENT_FILE SERVER_FILE...\n");
    return 2;
  }
  try {
    trunkline::soak::print(std::strtoul(values[1], nullptr, 10), values[2],
                           std::span(values + 3, static_cast<std::size_t>(count - 3)));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "soak_check: %s\n", error.what());
    return 1;
  }
  return 0;
}
