// SPDX-License-Identifier: MIT
// Calls every service of example_server and checks each response; counts the words of the repository's sources.
// Usage: quickstart_client ENDPOINT [FILE...]    (without files: the sources under include/ and src/)
#include "01_echo/echo.h"
#include "02_arith/arith.h"
#include "03_word_count/word_count.h"
#include "04_countdown/countdown.h"
#include "05_chat/chat.h"

#include <trunkline/channel.h>

#include <exception>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

namespace {

std::vector<std::string> own_sources() {
  std::vector<std::string> paths;
  for (const char* folder : {"include", "src"}) {
    if (!std::filesystem::is_directory(folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) paths.push_back(entry.path().string());
    }
  }
  return paths;
}

bool count_words(trunkline::Channel& channel, const std::vector<std::string>& paths) {
  example::Counted total;
  for (const std::string& path : paths) {
    const example::Counted counted = example::count_remotely(channel, path);
    if (counted != example::count_locally(path)) {
      std::cerr << "word count: " << path << ": the service and a local count differ\n";
      return false;
    }
    total.lines += counted.lines, total.words += counted.words, total.bytes += counted.bytes;
  }
  std::cout << "word count: " << paths.size() << " files, " << total.lines << " lines, " << total.words << " words, "
            << total.bytes << " bytes, each as counted locally\n";
  return !paths.empty();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: " << argv[0] << " ENDPOINT [FILE...]\n";
    return 2;
  }
  try {
    trunkline::Channel channel(argv[1]);
    const std::vector<std::string> files(argv + 2, argv + argc);
    const bool right = example::call_echo(channel) && example::call_arith(channel) &&
                       example::call_countdown(channel) && example::call_chat(channel) &&
                       count_words(channel, files.empty() ? own_sources() : files);
    std::cout << (right ? "all responses are right\n" : "a response was wrong\n");
    return right ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "quickstart_client: " << error.what() << "\n";
    return 1;
  }
}
