// SPDX-License-Identifier: MIT
// main() of a fuzz target built without libFuzzer: runs it on every file of the directory named on the command line.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argument_count, char** arguments) {
  if (argument_count != 2) return std::fprintf(stderr, "usage: %s DIRECTORY\n", arguments[0]), 2;
  LLVMFuzzerTestOneInput(nullptr, 0);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(arguments[1])) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::vector<char> content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    std::printf("%s\n", entry.path().filename().c_str());
    std::fflush(stdout);
    // A copy of exactly the size, so that a sanitizer detects a read past the end.
    const std::vector<std::uint8_t> input(content.begin(), content.end());
    LLVMFuzzerTestOneInput(input.data(), input.size());
    ++files;
  }
  std::printf("replayed %zu files\n", files);
  return files == 0 ? 1 : 0;
}
