// SPDX-License-Identifier: MIT
// The client's side of example.Chat: a coroutine that talks and listens.
#include "05_chat/chat.h"
#include "chat.trunkline.h"

#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/use_future.hpp>

#include <chrono>
#include <iostream>

namespace example {

namespace {

asio::awaitable<bool> talk(trunkline::Channel& channel) {
  auto stream = Chat::Client(channel).talk({.timeout = std::chrono::seconds(30)});
  ChatMessage line;
  line.set_from("ann");
  for (const char* text : {"hi", "is anyone there?", "bye"}) {
    line.set_text(text);
    if (!co_await stream.async_write(line, asio::use_awaitable)) co_return false;
    auto answer = co_await stream.async_read(asio::use_awaitable);
    if (!answer || !answer->has_value()) co_return false;
    std::cout << "chat: " << (*answer)->from() << ": " << (*answer)->text() << "\n";
    if ((*answer)->text() != "ann said: " + line.text()) co_return false;
  }
  if (!co_await stream.async_close_writes(asio::use_awaitable)) co_return false;
  auto farewell = co_await stream.async_read(asio::use_awaitable);
  const trunkline::Status status = co_await stream.async_finish(asio::use_awaitable);
  co_return status.is_ok() && farewell && farewell->has_value() && (*farewell)->text() == "goodbye";
}

}  // namespace

bool call_chat(trunkline::Channel& channel) {
  return asio::co_spawn(channel.executor(), talk(channel), asio::use_future).get();
}

}  // namespace example
