// SPDX-License-Identifier: MIT
// CallRun: unary calls use a future; streams use a second thread that writes while this one reads.
#include "cli/calls/call_run.h"

#include "cli/process/failure.h"

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>

#include <exception>
#include <future>
#include <system_error>
#include <thread>
#include <utility>

namespace trunkline::cli::calls {
namespace {

using PayloadStream = ClientStream<schema::PackedMessage, schema::PackedMessage>;

/// Returns true if a server of Connect has refused the call unseen, because it knows no stream of this method.
bool wants_unary(const Status& status) {
  return status.origin() == StatusOrigin::transport &&
         status.message().find("HTTP status 415") != std::string_view::npos;
}

}  // namespace

/// A thread that sends requests as they arrive. The stream and the input must outlive it.
class CallRun::Writing {
 public:
  Writing(PayloadStream& stream, const CallRun& call) : stream_(stream), call_(call) {
    try {
      thread_ = std::thread([this] { run_guarded(); });
    } catch (const std::system_error& error) {
      throw process::Failure(process::exit_status::failed, std::string("start a thread: ") + error.what());
    }
  }
  ~Writing() { join(); }
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;

  /// Stops the thread after the call has ended. Returns the error of a request, if there was one.
  Status end() {
    join();
    return std::move(failure_);
  }

 private:
  void join() {
    call_.input_.stop();
    if (thread_.joinable()) thread_.join();
  }
  void run_guarded() {
    try {
      run();
    } catch (const std::exception& error) {
      // A definition was needed but could not be fetched.
      fail(Status(StatusCode::unknown, error.what()));
    }
  }
  void run() {
    while (true) {
      Result<std::optional<json::JsonText>> json = call_.input_.next();
      if (!json) return fail(json.status());
      if (!json->has_value()) break;
      const Result<schema::PackedMessage> request = call_.coder_.encode(**json);
      if (!request) return fail(request.status());
      // A failed write means that the call has ended. The reads report how.
      if (!stream_.write(*request)) return;
      call_.report_.sent(*request);
    }
    (void)stream_.close_writes();
  }
  void fail(Status status) {
    failure_ = std::move(status);
    stream_.cancel();
  }

  PayloadStream& stream_;
  const CallRun& call_;
  Status failure_;
  std::thread thread_;
};

CallRun::CallRun(Channel& channel, CallShape shape, const schema::MessageCoder& coder, RequestInput& input,
                 ResponseOutput& output, CallReport& report, process::Interruption& interruption)
    : channel_(channel),
      shape_(std::move(shape)),
      coder_(coder),
      input_(input),
      output_(output),
      report_(report),
      interruption_(interruption) {}

Status CallRun::run(CallOptions options) {
  if (!shape_.is_known && input_.is_single().value_or(false)) return run_single(options);
  if (shape_.has_many_requests) return run_stream(std::nullopt, options);
  const schema::PackedMessage request = only_request();
  return shape_.has_many_responses ? run_stream(request, options) : run_unary(request, options);
}

/// Makes a call whose kind is unknown. A stream of one request is right for each kind, except for unary methods of
/// Connect. Those refuse it before they run, while a method of another kind might have run when it refuses a unary
/// call.
Status CallRun::run_single(CallOptions& options) {
  const schema::PackedMessage request = only_request();
  Status status = run_stream(request, options);
  return wants_unary(status) ? run_unary(request, options) : status;
}

schema::PackedMessage CallRun::only_request() {
  Result<std::optional<json::JsonText>> json = input_.next();
  if (!json) throw process::usage_error(std::string(json.status().message()));
  if (!json->has_value())
    throw process::usage_error("the method takes one request, but none was given; an empty one is {}");
  Result<schema::PackedMessage> request = coder_.encode(**json);
  if (!request) throw process::usage_error(std::string(request.status().message()));
  const Result<bool> has_more = input_.has_more();
  if (has_more.is_ok() && *has_more) throw process::usage_error("the method takes one request, but several were given");
  return *std::move(request);
}

Status CallRun::run_unary(const schema::PackedMessage& request, CallOptions& options) {
  ResponseInfo info;
  options.response_info = &info;
  asio::cancellation_signal cancellation;
  std::promise<Result<schema::PackedMessage>> promise;
  std::future<Result<schema::PackedMessage>> future = promise.get_future();
  report_.begin(shape_.path, request.codec, options.metadata);
  report_.sent(request);
  channel_.async_call<schema::PackedMessage>(
      channel_.method(shape_.path), request, options,
      asio::bind_cancellation_slot(cancellation.slot(), [&promise](Result<schema::PackedMessage> result) {
        promise.set_value(std::move(result));
      }));
  Result<schema::PackedMessage> response = [&] {
    const process::StopScope stop_scope(interruption_, [&] { cancellation.emit(asio::cancellation_type::terminal); });
    return future.get();
  }();
  report_.leading(info.leading);
  if (response) show(*response);
  report_.end(response.status(), info.trailing, info.peer);
  return response.status();
}

Status CallRun::run_stream(const std::optional<schema::PackedMessage>& request, const CallOptions& options) {
  const Method method = channel_.method(shape_.path);
  report_.begin(shape_.path, options.codec.empty() ? "protobuf" : options.codec, options.metadata);
  PayloadStream stream = request ? channel_.server_stream<schema::PackedMessage>(method, *request, options)
                                 : channel_.stream<schema::PackedMessage, schema::PackedMessage>(method, options);
  if (request) report_.sent(*request);
  Status failure;
  Status status;
  {
    const process::StopScope stop_scope(interruption_, [&] {
      stream.cancel();
      input_.stop();
    });
    std::optional<Writing> writing;
    if (!request) writing.emplace(stream, *this);
    try {
      status = read_all(stream);
    } catch (...) {
      stream.cancel();
      throw;
    }
    if (writing) failure = writing->end();
  }
  report_.end(status, stream.trailing(), {});
  // A server that ended the call with ok did not need the request.
  if (!failure.is_ok() && !status.is_ok()) throw process::usage_error(std::string(failure.message()));
  return status;
}

Status CallRun::read_all(PayloadStream& stream) {
  while (true) {
    Result<std::optional<schema::PackedMessage>> response = stream.read();
    report_.leading(stream.leading());
    if (!response || !response->has_value()) return stream.finish();
    show(**response);
  }
}

void CallRun::show(const schema::PackedMessage& response) {
  report_.received(response);
  output_.write(response);
}

}  // namespace trunkline::cli::calls
