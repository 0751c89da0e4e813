// SPDX-License-Identifier: MIT
// EchoPair: a channel and a server on one loop, so that no other thread stands between the handler and the completion.
#pragma once

#include <trunkline/channel.h>
#include <trunkline/server.h>

#include <string>
#include <string_view>
#include <vector>

namespace trunkline::bench {

struct TextEcho {
  using Message = std::string;
  static Message make(std::size_t size) { return std::string(size, 'x'); }
  static std::size_t size(const Message& message) { return message.size(); }
  static Status echo(const Message& request, Message& response, ServerContext&) {
    response = request;
    return {};
  }
};

template <class Echo>
class EchoPair {
 public:
  using Message = typename Echo::Message;

  EchoPair(std::string_view endpoint, std::size_t batch, std::size_t bytes, ServerOptions server_options = {},
           ChannelOptions channel_options = {}, CallOptions call_options = {})
      : server_(loop_, std::move(server_options)),
        channel_(loop_, listen(endpoint), std::move(channel_options)),
        method_(channel_.method("bench/Echo")),
        options_(std::move(call_options)),
        request_(Echo::make(bytes)),
        responses_(batch) {}

  /// Makes the batch of calls and waits for their responses. False if one was wrong.
  bool round() {
    left_ = responses_.size();
    for (auto& response : responses_) {
      channel_.async_call(method_, request_, response, options_, [this, &response](const Status& status) {
        is_right_ = is_right_ && status.is_ok() && Echo::size(response) == Echo::size(request_);
        --left_;
      });
    }
    while (left_ > 0) loop_.poll();
    return is_right_;
  }
  /// Runs `function` inside the loop, where a call does not go through the queue for other threads.
  template <class Function>
  void run(Function function) {
    loop_.post([&] {
      function();
      loop_.stop();
    });
    loop_.run();
  }
  Server& server() noexcept { return server_; }

 private:
  std::string listen(std::string_view endpoint) {
    server_.handle<Message, Message>("bench/Echo", &Echo::echo);
    return server_.listen(endpoint).to_string();
  }

  EventLoop loop_;
  Server server_;
  Channel channel_;
  Method method_;
  CallOptions options_;
  Message request_;
  std::vector<Message> responses_;
  std::size_t left_ = 0;
  bool is_right_ = true;
};

}  // namespace trunkline::bench
