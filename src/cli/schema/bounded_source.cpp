// SPDX-License-Identifier: MIT
// BoundedSource: counts files, and how deep on the stack they are requested.
#include "cli/schema/bounded_source.h"

#include "cli/output/terminal.h"
#include "cli/process/failure.h"

namespace trunkline::cli::schema {
namespace {

[[noreturn]] void refuse(const std::string& source, const std::string& reason) {
  throw process::Failure(process::exit_status::failed, "definitions of " + output::escaped(source) + ": " + reason);
}

/// Returns the place of the calling function on the stack.
[[gnu::always_inline]] inline std::uintptr_t this_frame() noexcept {
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
}

}  // namespace

void refuse_more_files(const std::string& source) {
  refuse(source, "more than " + std::to_string(BoundedSource::max_files) + " files, which is the limit");
}

/// Adds a frame. A pool does not report when it has built a file, but while it builds one, it requests everything from
/// deeper on the stack, which grows downwards on all platforms.
void BoundedSource::enter(std::uintptr_t frame) {
  while (!frames_.empty() && frames_.back() <= frame) frames_.pop_back();
  if (frames_.size() == max_nesting) {
    refuse(name_,
           "files that need each other are more than " + std::to_string(max_nesting) + " deep, which is the limit");
  }
  frames_.push_back(frame);
}

template <class Find>
bool BoundedSource::look_up(std::uintptr_t frame, const Find& find) {
  if (failure_) return false;
  try {
    enter(frame);
    if (!find()) return false;
    if (++files_ > max_files) refuse_more_files(name_);
    return true;
  } catch (...) {
    failure_ = std::current_exception();
    return false;
  }
}

void BoundedSource::throw_failure() {
  frames_.clear();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

bool BoundedSource::FindFileByName(const std::string& name, google::protobuf::FileDescriptorProto* file) {
  return look_up(this_frame(), [&] { return source_.FindFileByName(name, file); });
}

bool BoundedSource::FindFileContainingSymbol(const std::string& symbol, google::protobuf::FileDescriptorProto* file) {
  return look_up(this_frame(), [&] { return source_.FindFileContainingSymbol(symbol, file); });
}

bool BoundedSource::FindFileContainingExtension(const std::string& type, int number,
                                                google::protobuf::FileDescriptorProto* file) {
  return look_up(this_frame(), [&] { return source_.FindFileContainingExtension(type, number, file); });
}

bool BoundedSource::FindAllExtensionNumbers(const std::string& type, std::vector<int>* numbers) {
  if (failure_) return false;
  try {
    return source_.FindAllExtensionNumbers(type, numbers);
  } catch (...) {
    failure_ = std::current_exception();
    return false;
  }
}

}  // namespace trunkline::cli::schema
