// SPDX-License-Identifier: MIT
// RequestInput: uses poll(2) and read(2), so that waiting can be interrupted.
#include "cli/calls/request_input.h"

#include "cli/process/failure.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace trunkline::cli::calls {
namespace {

constexpr std::size_t read_bytes = 64 << 10;
/// An upper limit of the JSON text of one request: the largest message, times a factor for its encoding as JSON.
constexpr std::size_t max_buffered_bytes = std::size_t{4} * std::numeric_limits<int>::max();

}  // namespace

RequestInput::RequestInput(process::FileHandle file) : file_(std::move(file)), stop_(eventfd(0, EFD_CLOEXEC)) {
  if (stop_.get() < 0)
    throw process::Failure(process::exit_status::failed, std::string("read requests: ") + std::strerror(errno));
}

RequestInput RequestInput::from_text(std::string text) {
  RequestInput input{process::FileHandle()};
  input.values_.append(text);
  input.values_.finish();
  return input;
}

RequestInput RequestInput::of_bytes(const std::string& argument) {
  const bool is_named = argument.starts_with('@');
  RequestInput input =
      is_named ? from_file(argument.substr(1), "--data-binary @") : RequestInput(process::FileHandle());
  input.whole_ = is_named ? std::string() : argument;
  return input;
}

RequestInput RequestInput::from_file(const std::string& path, const std::string& option) {
  const int file = path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw process::usage_error(option + path + ": " + std::strerror(errno));
  RequestInput input{process::FileHandle(file)};
  struct stat status {};
  input.is_interactive_ = fstat(file, &status) == 0 && !S_ISREG(status.st_mode);
  return input;
}

Result<RequestInput::Step> RequestInput::read_some() {
  std::array<pollfd, 2> waits{pollfd{.fd = stop_.get(), .events = POLLIN, .revents = 0},
                              pollfd{.fd = file_.get(), .events = POLLIN, .revents = 0}};
  while (poll(waits.data(), waits.size(), -1) < 0) {
    if (errno != EINTR) return Status(StatusCode::unknown, std::string("read requests: ") + std::strerror(errno));
  }
  if (waits[0].revents != 0) return Step::stopped;
  std::vector<char> buffer(read_bytes);
  const ssize_t count = read(file_.get(), buffer.data(), buffer.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return Step::read;
  // The error EIO means that the terminal was closed.
  if (count < 0 && errno != EIO)
    return Status(StatusCode::unknown, std::string("read requests: ") + std::strerror(errno));
  if (count <= 0) {
    values_.finish();
    file_ = process::FileHandle();
    return Step::ended;
  }
  const std::string_view come(buffer.data(), static_cast<std::size_t>(count));
  whole_ ? static_cast<void>(whole_->append(come)) : values_.append(come);
  if ((whole_ ? whole_->size() : values_.buffered_bytes()) <= max_buffered_bytes) return Step::read;
  return Status(StatusCode::resource_exhausted,
                "read requests: a value exceeds " + std::to_string(max_buffered_bytes) + " bytes");
}

std::optional<json::JsonText> RequestInput::take() {
  if (!whole_) return values_.next();
  if (file_.get() >= 0) return std::nullopt;
  json::JsonText value{.text = *std::move(whole_)};
  whole_.reset();
  return value;
}

Result<std::optional<json::JsonText>> RequestInput::next() {
  if (ahead_.empty()) return read_next();
  std::optional<json::JsonText> value = std::move(ahead_.front());
  ahead_.pop_front();
  return value;
}

Result<std::optional<json::JsonText>> RequestInput::read_next() {
  while (true) {
    if (std::optional<json::JsonText> value = take()) return value;
    if (file_.get() < 0) return std::optional<json::JsonText>();
    const Result<Step> step = read_some();
    if (!step) return step.status();
    if (*step == Step::stopped) return std::optional<json::JsonText>();
  }
}

Result<bool> RequestInput::has_more() {
  if (!is_interactive_) return look_ahead(1);
  if (ahead_.empty()) {
    if (std::optional<json::JsonText> value = values_.next()) ahead_.push_back(*std::move(value));
  }
  return !ahead_.empty() || values_.buffered_bytes() > 0;
}

Result<bool> RequestInput::is_single() {
  if (is_interactive_) return false;
  const Result<bool> has_two = look_ahead(2);
  if (!has_two) return has_two.status();
  return !*has_two && ahead_.size() == 1;
}

/// Reads until that many values have been read. Returns false if there are fewer.
Result<bool> RequestInput::look_ahead(std::size_t values) {
  while (ahead_.size() < values) {
    Result<std::optional<json::JsonText>> value = read_next();
    if (!value) return value.status();
    if (!value->has_value()) return false;
    ahead_.push_back(**std::move(value));
  }
  return true;
}

void RequestInput::stop() noexcept {
  const std::uint64_t one = 1;
  while (write(stop_.get(), &one, sizeof one) < 0 && errno == EINTR) {
  }
}

}  // namespace trunkline::cli::calls
