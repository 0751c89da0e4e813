// SPDX-License-Identifier: MIT
// BoundedSource: passes on the definitions of a source, as far as a pool can take them without harm.
#pragma once

#include <google/protobuf/descriptor_database.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace trunkline::cli::schema {

/// A source for the lookups of one pool in one thread. A pool that needs a file while it builds another one builds it
/// in between, on the same stack: for an import, and for a name that is defined nowhere. A source that always has one
/// more would thus end the process. A pool that is building a file must not see exceptions either. So a failure of the
/// source, or beyond a limit, ends all lookups until throw_failure() is called.
class BoundedSource final : public google::protobuf::DescriptorDatabase {
 public:
  /// The largest number of files one within the other. A pool takes 3 KiB of the stack for each.
  static constexpr std::size_t max_nesting = 250;
  /// The largest number of files in all.
  static constexpr std::size_t max_files = 10'000;

  /// `source` must outlive the object; `name` is used in messages.
  BoundedSource(google::protobuf::DescriptorDatabase& source, std::string name)
      : source_(source), name_(std::move(name)) {}

  /// Throws the failure that has ended the lookups, if any. Must not be called while the pool looks something up.
  void throw_failure();

  bool FindFileByName(const std::string& name, google::protobuf::FileDescriptorProto* file) override;
  bool FindFileContainingSymbol(const std::string& symbol, google::protobuf::FileDescriptorProto* file) override;
  bool FindFileContainingExtension(const std::string& type, int number,
                                   google::protobuf::FileDescriptorProto* file) override;
  bool FindAllExtensionNumbers(const std::string& type, std::vector<int>* numbers) override;

 private:
  template <class Find>
  bool look_up(std::uintptr_t frame, const Find& find);
  void enter(std::uintptr_t frame);

  google::protobuf::DescriptorDatabase& source_;
  const std::string name_;
  /// The stack frames of the lookups whose files may still be in the making, the outermost first.
  std::vector<std::uintptr_t> frames_;
  std::size_t files_ = 0;
  std::exception_ptr failure_;
};

/// Throws the failure of a source with more than BoundedSource::max_files.
[[noreturn]] void refuse_more_files(const std::string& source);

}  // namespace trunkline::cli::schema
