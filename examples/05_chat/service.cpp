// SPDX-License-Identifier: MIT
// The server's side of example.Chat: answers each line while the client goes on writing, and says goodbye at its end.
#include "05_chat/chat.h"
#include "chat.trunkline.h"

#include <asio/use_awaitable.hpp>

#include <memory>

namespace example {

namespace {

class Listener final : public Chat::Service {
 public:
  asio::awaitable<trunkline::Status> talk(trunkline::ServerStream<ChatMessage, ChatMessage>& stream,
                                          trunkline::ServerContext&) {
    ChatMessage answer;
    answer.set_from("server");
    while (true) {
      trunkline::Result<std::optional<ChatMessage>> line = co_await stream.async_read(asio::use_awaitable);
      if (!line) co_return line.status();
      const bool leaving = !line->has_value();
      answer.set_text(leaving ? "goodbye" : (*line)->from() + " said: " + (*line)->text());
      if (trunkline::Status written = co_await stream.async_write(answer, asio::use_awaitable); !written)
        co_return written;
      if (leaving) co_return trunkline::Status::ok();
    }
  }
};

}  // namespace

void add_chat(trunkline::Server& server) { server.add_service(std::make_shared<Listener>()); }

}  // namespace example
