// SPDX-License-Identifier: MIT
// The log of channels and servers that are given no other: warnings and errors go to standard error.
#include <trunkline/log.h>

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace trunkline {

namespace {

/// Limits the lines per second: a peer could otherwise fill a disk with the warnings that it causes.
class LineLimit {
 public:
  /// Returns false if the line is to be left out. `left_out` becomes the number of lines that were left out before it.
  bool admit(std::chrono::steady_clock::time_point now, std::size_t& left_out) {
    const std::lock_guard lock(mutex_);
    if (now - begin_ >= std::chrono::seconds(1)) {
      begin_ = now;
      written_ = 0;
      left_out = left_out_;
      left_out_ = 0;
    }
    if (written_ == most_per_second) {
      ++left_out_;
      return false;
    }
    ++written_;
    return true;
  }

 private:
  static constexpr int most_per_second = 10;

  std::mutex mutex_;
  std::chrono::steady_clock::time_point begin_;
  int written_ = 0;
  std::size_t left_out_ = 0;
};

// The limit is never destroyed, as threads may log while static objects are destroyed.
LineLimit& line_limit() {
  static auto* const limit = new LineLimit;
  return *limit;
}

/// Appends text of a peer, perhaps: it must not end the line, nor control a terminal. Of the characters U+0080 to
/// U+009F, which do so too, the second byte in UTF-8 is replaced by one that makes a no-break space of them.
void append_shown(std::string& line, std::string_view text) {
  char before = 0;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    const bool is_control = byte < 0x20 || byte == 0x7F;
    const bool is_second_of_control = before == '\xC2' && byte >= 0x80 && byte < 0xA0;
    line += is_control ? ' ' : is_second_of_control ? '\xA0' : character;
    before = character;
  }
}

/// Writes to standard error. SIGPIPE, of a pipe that nobody reads any more, does not end the process.
void write_quietly(std::string_view text) noexcept {
  sigset_t pipe;
  sigset_t before;
  sigset_t pending;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  sigpending(&pending);
  const bool was_pending = sigismember(&pending, SIGPIPE) == 1;
  if (pthread_sigmask(SIG_BLOCK, &pipe, &before) != 0) return;
  // One call, so that lines of several threads do not mix.
  const bool is_broken = ::write(STDERR_FILENO, text.data(), text.size()) < 0 && errno == EPIPE;
  const timespec at_once{};
  if (is_broken && !was_pending) static_cast<void>(sigtimedwait(&pipe, nullptr, &at_once));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

std::string line_of(const LogRecord& record) {
  std::string line = record.level == LogLevel::error ? "trunkline: error: " : "trunkline: warning: ";
  append_shown(line, record.message);
  for (const auto& [title, value] : {std::pair{" method=", record.method}, std::pair{" peer=", record.peer}}) {
    if (value.empty()) continue;
    line += title;
    append_shown(line, value);
  }
  return line += '\n';
}

}  // namespace

void log_to_stderr(const LogRecord& record) noexcept try {
  if (record.level != LogLevel::warning && record.level != LogLevel::error) return;
  std::size_t left_out = 0;
  if (!line_limit().admit(std::chrono::steady_clock::now(), left_out)) return;
  std::string line = line_of(record);
  if (left_out > 0) line.insert(0, "trunkline: warning: " + std::to_string(left_out) + " lines were left out\n");
  write_quietly(line);
} catch (...) {
  // There is no memory for the line, and nobody else to tell.
}

}  // namespace trunkline
