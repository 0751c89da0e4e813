// SPDX-License-Identifier: MIT
// contest_trunkline call: a window of calls under way on one loop; every answer starts its slot's next call.
#include "modes.h"
#include "works.h"

#include <trunkline/channel.h>
#include <trunkline/protobuf.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace trunkline::contest {
namespace {

ChannelOptions channel_options(const Options& options) {
  ChannelOptions made;
  made.ordered = options.pipelined;
  made.limits.max_message_bytes = 2 * large_bytes;
  made.tls.ca_file = options.certificate;
  made.tls.server_name = "localhost";
  return made;
}

/// What unary calls and streams share: the channels, the pace and how it ends. Loop's thread, but for run().
class Caller {
 public:
  explicit Caller(const Options& options)
      : options_(options), loop_({.busy_poll = std::chrono::microseconds(options.busy_poll ? 50 : 0)}), pace_(options) {
    for (std::size_t index = 0; index < options.connections; ++index) {
      channels_.push_back(std::make_unique<Channel>(loop_, options.target, channel_options(options)));
    }
  }
  virtual ~Caller() = default;

  Status run() {
    loop_.post([this] { begin(); });
    loop_.run();
    channels_.clear();  // ends what is still open, while the slots are there
    if (error_) pace_.print();
    return error_;
  }

 protected:
  virtual void start_all() = 0;

  /// False: the slot starts nothing more.
  bool finish(const Turn& turn, const Status& status, bool is_right) {
    if (error_ && !status) error_ = status;
    if (error_ && !is_right) error_ = Status(StatusCode::data_loss, "an answer is wrong");
    if (pace_.finish(turn) && error_) return true;
    if (--open_ == 0 || !error_) loop_.stop();
    return false;
  }

  const Options options_;
  EventLoop loop_;
  std::vector<std::unique_ptr<Channel>> channels_;
  Pace pace_;
  std::size_t open_ = 0;
  Status error_;

 private:
  void begin() {
    for (auto& channel : channels_) {
      error_ = channel->wait_for_ready(std::chrono::seconds(10));
      if (!error_) return loop_.stop();
    }
    pace_.begin();
    open_ = options_.outstanding;
    start_all();
  }
};

template <class Work>
class UnaryCaller final : public Caller {
 public:
  UnaryCaller(const Options& options, const char* method)
      : Caller(options), work_(options), is_one_way_(options.is("oneway")), slots_(options.outstanding) {
    call_options_.codec = options_.codec;
    for (auto& channel : channels_) methods_.push_back(channel->method(method));
    for (std::size_t index = 0; index < slots_.size(); ++index) {
      slots_[index].lane = index % channels_.size();
      slots_[index].turn.is_large = options.is("mixed") && index < channels_.size();
    }
  }

 private:
  struct Slot {
    std::size_t lane = 0;
    Turn turn;
    typename Work::Response response;
  };

  void start_all() override {
    for (auto& slot : slots_) start(slot);
  }

  void start(Slot& slot) {
    pace_.start(slot.turn);
    Channel& channel = *channels_[slot.lane];
    const auto& request = work_.request(slot.turn);
    if (is_one_way_) {
      channel.async_call_oneway(methods_[slot.lane], request, call_options_, [this, &slot](const Status& status) {
        if (finish(slot.turn, status, true)) start(slot);
      });
      return;
    }
    channel.async_call(methods_[slot.lane], request, slot.response, call_options_, [this, &slot](const Status& status) {
      const bool is_right = work_.is_right(slot.turn, slot.response);
      if (finish(slot.turn, status, is_right)) start(slot);
    });
  }

  Work work_;
  const bool is_one_way_;
  CallOptions call_options_;
  std::vector<Method> methods_;
  std::vector<Slot> slots_;
};

/// One stream for each slot, which goes to and fro.
class StreamCaller final : public Caller {
 public:
  explicit StreamCaller(const Options& options) : Caller(options), work_(options), slots_(options.outstanding) {}

 private:
  using Stream = ClientStream<::contest::TextMessage, ::contest::TextMessage>;

  struct Slot {
    std::optional<Stream> stream;
    Turn turn;
  };

  void start_all() override {
    for (std::size_t index = 0; index < slots_.size(); ++index) {
      Channel& channel = *channels_[index % channels_.size()];
      slots_[index].stream.emplace(
          channel.stream<::contest::TextMessage, ::contest::TextMessage>(channel.method(talk_method)));
      start(slots_[index]);
    }
  }

  void start(Slot& slot) {
    pace_.start(slot.turn);
    slot.stream->async_write(work_.request(slot.turn), [](const Status&) {});
    slot.stream->async_read([this, &slot](const Result<std::optional<::contest::TextMessage>>& read) {
      const bool is_right = read && read->has_value() && work_.is_right(slot.turn, **read);
      if (finish(slot.turn, read.status(), is_right)) start(slot);
    });
  }

  TextWork work_;
  std::vector<Slot> slots_;
};

int end(const Status& status) {
  if (status) return 0;
  return std::fprintf(stderr, "contest_trunkline: %s\n", status.to_string().c_str()), 1;
}

/// Reads 50 messages a second from a server that would send far more, until the process is killed.
int read_slowly(const Options& options) {
  Channel channel(options.target, channel_options(options));
  ::contest::EchoMessage request;
  request.set_payload(letters(options.bytes));
  auto stream = channel.server_stream<::contest::EchoMessage>(channel.method(pour_method), request);
  for (bool is_first = true;; is_first = false) {
    const auto message = stream.read();
    if (!message || !message->has_value()) return end(Status(StatusCode::data_loss, "the stream has ended"));
    if ((*message)->payload() != request.payload()) return end(Status(StatusCode::data_loss, "an answer is wrong"));
    if (is_first) std::puts("reading"), std::fflush(stdout);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace

int call(const Options& options) {
  if (options.is("slow_reader")) return read_slowly(options);
  if (options.is("stream")) return end(StreamCaller(options).run());
  if (options.is("text")) return end(UnaryCaller<TextWork>(options, text_method).run());
  if (options.is("object")) return end(UnaryCaller<ObjectWork>(options, object_method).run());
  if (options.is("multiply") || options.is("oneway")) {
    return end(UnaryCaller<MultiplyWork>(options, multiply_method).run());
  }
  return end(UnaryCaller<EchoWork>(options, options.is("fan_out") ? fan_out_method : echo_method).run());
}

}  // namespace trunkline::contest
