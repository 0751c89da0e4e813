// SPDX-License-Identifier: MIT
// The server's side of example.WordCounter: a coroutine that reads the stream and answers at its end.
#include "03_word_count/word_count.h"
#include "word_count.trunkline.h"

#include <asio/use_awaitable.hpp>

#include <memory>

namespace example {

namespace {

class Reader final : public WordCounter::Service {
 public:
  asio::awaitable<trunkline::Status> count(trunkline::ServerReader<Text>& pieces, WordCount& result,
                                           trunkline::ServerContext&) {
    bool in_word = false;
    while (true) {
      trunkline::Result<std::optional<Text>> piece = co_await pieces.async_read(asio::use_awaitable);
      if (!piece) co_return piece.status();
      if (!piece->has_value()) co_return trunkline::Status::ok();
      const std::string& text = (*piece)->text();
      result.set_bytes(result.bytes() + text.size());
      for (const char letter : text) {
        const bool space = is_space(letter);
        if (letter == '\n') result.set_lines(result.lines() + 1);
        if (!space && !in_word) result.set_words(result.words() + 1);
        in_word = !space;
      }
    }
  }
};

}  // namespace

void add_word_count(trunkline::Server& server) { server.add_service(std::make_shared<Reader>()); }

}  // namespace example
