// SPDX-License-Identifier: MIT
// contest_grpc_cpp serve: every call is an object that the completion queue hands back when something has happened.
#include "contest.grpc.pb.h"
#include "modes.h"
#include "works.h"

#include <grpcpp/alarm.h>
#include <grpcpp/grpcpp.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>

namespace trunkline::contest {
namespace {

using ::contest::Contest;
using ::contest::EchoMessage;
using ::contest::TextMessage;
using Queue = grpc::ServerCompletionQueue;

/// What the queue hands back. Deletes itself.
class Event {
 public:
  virtual ~Event() = default;
  virtual void proceed(bool ok) = 0;
};

using Service = Contest::AsyncService;

/// A call that is waited for or answered; makes its own successor. `request`: the member of Service that waits for one.
template <class Work, auto request>
class UnaryCall final : public Event {
 public:
  UnaryCall(Service& service, Queue& queue) : service_(service), queue_(queue), writer_(&context_) {
    (service_.*request)(&context_, &request_, &writer_, &queue_, &queue_, this);
  }

  void proceed(bool ok) override {
    if (is_finished_ || !ok) {
      delete this;
      return;
    }
    if (!has_arrived_) {
      has_arrived_ = true;
      new UnaryCall(service_, queue_);
      if (is_delayed()) return;
    }
    is_finished_ = true;
    Work::answer(request_, response_);
    writer_.Finish(response_, grpc::Status::OK, this);
  }

 private:
  bool is_delayed() {
    if constexpr (std::is_same_v<Work, EchoWork>) {
      if (request_.delay_us() == 0) return false;
      alarm_.emplace().Set(&queue_, std::chrono::system_clock::now() + std::chrono::microseconds(request_.delay_us()),
                           this);
      return true;
    }
    return false;
  }

  Service& service_;
  Queue& queue_;
  grpc::ServerContext context_;
  typename Work::Request request_;
  typename Work::Response response_;
  grpc::ServerAsyncResponseWriter<typename Work::Response> writer_;
  std::optional<grpc::Alarm> alarm_;
  bool has_arrived_ = false;
  bool is_finished_ = false;
};

/// Makes three calls to the backend on the server's own queue.
class FanOutCall final : public Event {
 public:
  FanOutCall(Service& service, Queue& queue, Contest::Stub& backend)
      : service_(service), queue_(queue), backend_(backend), writer_(&context_) {
    service_.RequestFanOut(&context_, &request_, &writer_, &queue_, &queue_, this);
  }

  void proceed(bool ok) override {
    if (is_finished_ || !ok) {
      delete this;
      return;
    }
    new FanOutCall(service_, queue_, backend_);
    for (auto& ask : asks_) {
      ask.call = this;
      ask.reader = backend_.AsyncEcho(&ask.context, request_, &queue_);
      ask.reader->Finish(&ask.response, &ask.status, &ask);
    }
  }

 private:
  struct Ask final : Event {
    void proceed(bool) override { call->take(*this); }

    FanOutCall* call = nullptr;
    grpc::ClientContext context;
    EchoMessage response;
    grpc::Status status;
    std::unique_ptr<grpc::ClientAsyncResponseReader<EchoMessage>> reader;
  };

  void take(const Ask& ask) {
    if (!ask.status.ok()) status_ = ask.status;
    if (ask.status.ok() && ask.response.payload() != request_.payload()) {
      status_ = grpc::Status(grpc::StatusCode::DATA_LOSS, "a wrong answer");
    }
    if (++answered_ < asks_.size()) return;
    is_finished_ = true;
    EchoWork::answer(request_, response_);
    writer_.Finish(response_, status_, this);
  }

  Service& service_;
  Queue& queue_;
  Contest::Stub& backend_;
  grpc::ServerContext context_;
  EchoMessage request_;
  EchoMessage response_;
  grpc::ServerAsyncResponseWriter<EchoMessage> writer_;
  std::array<Ask, 3> asks_;
  grpc::Status status_;
  std::size_t answered_ = 0;
  bool is_finished_ = false;
};

class TalkCall final : public Event {
 public:
  TalkCall(Service& service, Queue& queue) : service_(service), queue_(queue), stream_(&context_) {
    service_.RequestTalk(&context_, &stream_, &queue_, &queue_, this);
  }

  void proceed(bool ok) override {
    switch (std::exchange(step_, ok ? step_ : Step::finish)) {
      case Step::arrive:
        if (!ok) return delete this;
        new TalkCall(service_, queue_);
        step_ = Step::read;
        return stream_.Read(&message_, this);
      case Step::read:
        if (!ok) return stream_.Finish(grpc::Status::OK, this);
        step_ = Step::write;
        return stream_.Write(message_, this);
      case Step::write:
        if (!ok) return stream_.Finish(grpc::Status::OK, this);
        step_ = Step::read;
        return stream_.Read(&message_, this);
      case Step::finish:
        return delete this;
    }
  }

 private:
  enum class Step { arrive, read, write, finish };

  Service& service_;
  Queue& queue_;
  grpc::ServerContext context_;
  TextMessage message_;
  grpc::ServerAsyncReaderWriter<TextMessage, TextMessage> stream_;
  Step step_ = Step::arrive;
};

class PourCall final : public Event {
 public:
  PourCall(Service& service, Queue& queue) : service_(service), queue_(queue), writer_(&context_) {
    service_.RequestPour(&context_, &request_, &writer_, &queue_, &queue_, this);
  }

  void proceed(bool ok) override {
    if (is_finished_ || (!ok && !has_arrived_)) {
      delete this;
      return;
    }
    if (!has_arrived_) new PourCall(service_, queue_);
    has_arrived_ = true;
    is_finished_ = !ok;
    if (ok) return writer_.Write(request_, this);
    writer_.Finish(grpc::Status::OK, this);
  }

 private:
  Service& service_;
  Queue& queue_;
  grpc::ServerContext context_;
  EchoMessage request_;
  grpc::ServerAsyncWriter<EchoMessage> writer_;
  bool has_arrived_ = false;
  bool is_finished_ = false;
};

std::shared_ptr<grpc::ServerCredentials> credentials_of(const Options& options) {
  if (!options.has_tls()) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions made;
  made.pem_key_cert_pairs.push_back({text_of(options.key), text_of(options.certificate)});
  return grpc::SslServerCredentials(made);
}

std::unique_ptr<Contest::Stub> backend_of(const Options& options) {
  if (options.backend.empty()) return nullptr;
  return Contest::NewStub(grpc::CreateChannel(options.backend, grpc::InsecureChannelCredentials()));
}

}  // namespace

int serve(const Options& options) {
  constexpr int requested_ahead = 1000;
  Service service;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", credentials_of(options), &port);
  builder.SetMaxReceiveMessageSize(-1);
  builder.RegisterService(&service);
  const std::unique_ptr<Queue> queue = builder.AddCompletionQueue();
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) return std::fputs("contest_grpc_cpp: listening failed\n", stderr), 1;
  const auto backend = backend_of(options);
  for (int index = 0; index < requested_ahead; ++index) {
    new UnaryCall<EchoWork, &Service::RequestEcho>(service, *queue);
    new UnaryCall<TextWork, &Service::RequestSay>(service, *queue);
    new UnaryCall<MultiplyWork, &Service::RequestMultiply>(service, *queue);
    new UnaryCall<ObjectWork, &Service::RequestFindOne>(service, *queue);
    if (backend != nullptr) new FanOutCall(service, *queue, *backend);
  }
  new TalkCall(service, *queue);
  new PourCall(service, *queue);
  say_listening("127.0.0.1:" + std::to_string(port));
  void* tag = nullptr;
  bool ok = false;
  while (queue->Next(&tag, &ok)) static_cast<Event*>(tag)->proceed(ok);
  return 0;
}

}  // namespace trunkline::contest
