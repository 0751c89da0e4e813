// SPDX-License-Identifier: MIT
// The client's side of example.WordCounter: blocking writes that wait while the server is behind.
#include "03_word_count/word_count.h"
#include "word_count.trunkline.h"

#include <fstream>
#include <stdexcept>

namespace example {

namespace {

std::ifstream open_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("word count: cannot read " + path);
  return file;
}

}  // namespace

Counted count_remotely(trunkline::Channel& channel, const std::string& path) {
  std::ifstream file = open_file(path);
  auto stream = WordCounter::Client(channel).count({.timeout = std::chrono::seconds(30)});
  Text piece;
  std::string buffer(16 * 1024, '\0');
  while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || file.gcount() > 0) {
    piece.set_text(buffer.data(), static_cast<std::size_t>(file.gcount()));
    if (!stream.write(piece)) break;  // finish() says why
  }
  WordCount result;
  if (trunkline::Status status = stream.finish(result); !status) throw trunkline::StatusError(status);
  return {result.lines(), result.words(), result.bytes()};
}

Counted count_locally(const std::string& path) {
  std::ifstream file = open_file(path);
  Counted counted;
  bool in_word = false;
  for (char letter = 0; file.get(letter);) {
    const bool space = is_space(letter);
    ++counted.bytes;
    if (letter == '\n') ++counted.lines;
    if (!space && !in_word) ++counted.words;
    in_word = !space;
  }
  return counted;
}

}  // namespace example
