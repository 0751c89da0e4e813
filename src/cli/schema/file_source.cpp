// SPDX-License-Identifier: MIT
// Wraps protobuf's parser in a descriptor database. A descriptor set is such a database already.
#include "cli/schema/file_source.h"

#include "cli/process/failure.h"
#include "cli/schema/bounded_source.h"
#include "cli/schema/well_known_files.h"

#include <google/protobuf/compiler/importer.h>
#include <google/protobuf/descriptor.pb.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

namespace trunkline::cli::schema {
namespace {

using google::protobuf::FileDescriptorProto;
namespace compiler = google::protobuf::compiler;

void add_services(const FileDescriptorProto& file, std::vector<std::string>& names) {
  for (const auto& service : file.service()) {
    names.push_back(file.package().empty() ? service.name() : file.package() + "." + service.name());
  }
}

/// Returns the definitions that come with protobuf, and those that this program has of its own.
const google::protobuf::DescriptorPool& compiled_in() {
  static_cast<void>(well_known_files());
  return *google::protobuf::DescriptorPool::generated_pool();
}

class ParseErrors final : public compiler::MultiFileErrorCollector {
 public:
  void AddError(const std::string& file, int line, int column, const std::string& text) override {
    if (!first_.empty()) return;
    first_ = file;
    // Both count from 0; they are -1 for an error of the file as a whole.
    if (line >= 0) first_ += ":" + std::to_string(line + 1) + ":" + std::to_string(column + 1);
    first_ += ": " + text;
  }
  const std::string& first() const noexcept { return first_; }

 private:
  std::string first_;
};

class ProtoFiles final : public SchemaSource {
 public:
  ProtoFiles(const std::vector<std::string>& files, std::vector<std::string> folders)
      : known_(compiled_in()), parsed_(&tree_, &known_) {
    parsed_.RecordErrorsTo(&errors_);
    if (folders.empty()) {
      for (const std::string& file : files) {
        const std::filesystem::path folder = std::filesystem::path(file).parent_path();
        // Protobuf's own definitions have a path, and are in no folder.
        if (folder.empty() || std::filesystem::is_directory(folder)) folders.push_back(folder.empty() ? "." : folder);
      }
    }
    for (const std::string& folder : folders) map_folder(folder);
    for (const std::string& file : files) add_file(file);
    std::sort(services_.begin(), services_.end());
  }

  std::vector<std::string> services() override { return services_; }
  std::string name() const override { return name_; }

  bool FindFileByName(const std::string& name, FileDescriptorProto* file) override {
    return parsed_.FindFileByName(name, file);
  }
  bool FindFileContainingSymbol(const std::string& symbol, FileDescriptorProto* file) override {
    return loaded_.FindFileContainingSymbol(symbol, file);
  }
  bool FindFileContainingExtension(const std::string& type, int number, FileDescriptorProto* file) override {
    return loaded_.FindFileContainingExtension(type, number, file);
  }

 private:
  void map_folder(const std::string& folder) {
    if (!std::filesystem::is_directory(folder)) throw process::usage_error("-I " + folder + ": not a directory");
    tree_.MapPath("", folder);
  }

  void add_file(const std::string& file) {
    std::string path;
    std::string shadow;
    switch (tree_.DiskFileToVirtualFile(file, &path, &shadow)) {
      case compiler::DiskSourceTree::SUCCESS:
        break;
      case compiler::DiskSourceTree::SHADOWED:
        throw process::usage_error("--proto " + file + ": is hidden by " + shadow +
                                   ", which is found by an earlier -I");
      case compiler::DiskSourceTree::CANNOT_OPEN:
        throw process::usage_error("--proto " + file + ": " + std::strerror(errno));
      case compiler::DiskSourceTree::NO_MAPPING:
        path = file;  // The path is relative to an import folder.
    }
    add_services(load(path), services_);
    name_ += name_.empty() ? file : ", " + file;
  }

  /// Loads the file and also the imports, so that their symbols are found.
  FileDescriptorProto load(const std::string& path) {
    const FileDescriptorProto file = parse(path);
    std::vector<FileDescriptorProto> added{file};
    while (!added.empty()) {
      const FileDescriptorProto next = std::move(added.back());
      added.pop_back();
      if (!loaded_names_.insert(next.name()).second) continue;
      if (loaded_names_.size() > BoundedSource::max_files) refuse_more_files(path);
      loaded_.Add(next);
      for (const std::string& imported : next.dependency()) {
        if (!loaded_names_.contains(imported)) added.push_back(parse(imported));
      }
    }
    return file;
  }

  FileDescriptorProto parse(const std::string& path) {
    FileDescriptorProto file;
    if (!parsed_.FindFileByName(path, &file)) throw process::usage_error("--proto " + describe(path));
    return file;
  }

  std::string describe(const std::string& path) const {
    return errors_.first().empty() ? path + ": not found" : errors_.first();
  }

  compiler::DiskSourceTree tree_;
  google::protobuf::DescriptorPoolDatabase known_;
  ParseErrors errors_;
  compiler::SourceTreeDescriptorDatabase parsed_;
  google::protobuf::SimpleDescriptorDatabase loaded_;
  std::set<std::string> loaded_names_;
  std::vector<std::string> services_;
  std::string name_;
};

class DescriptorSet final : public SchemaSource {
 public:
  DescriptorSet(std::string name, const google::protobuf::FileDescriptorSet& set)
      : name_(std::move(name)), known_(compiled_in()) {
    for (FileDescriptorProto file : set.file()) {
      drop_default_json_names(file);
      files_.Add(file);
      add_services(file, services_);
    }
    std::sort(services_.begin(), services_.end());
  }

  std::vector<std::string> services() override { return services_; }
  std::string name() const override { return name_; }

  bool FindFileByName(const std::string& name, FileDescriptorProto* file) override {
    return files_.FindFileByName(name, file) || known_.FindFileByName(name, file);
  }
  bool FindFileContainingSymbol(const std::string& symbol, FileDescriptorProto* file) override {
    return files_.FindFileContainingSymbol(symbol, file);
  }
  bool FindFileContainingExtension(const std::string& type, int number, FileDescriptorProto* file) override {
    return files_.FindFileContainingExtension(type, number, file);
  }

 private:
  std::string name_;
  google::protobuf::SimpleDescriptorDatabase files_;
  google::protobuf::DescriptorPoolDatabase known_;
  std::vector<std::string> services_;
};

}  // namespace

std::unique_ptr<SchemaSource> read_proto_files(const std::vector<std::string>& files,
                                               const std::vector<std::string>& folders) {
  return std::make_unique<ProtoFiles>(files, folders);
}

std::unique_ptr<SchemaSource> read_descriptor_set(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw process::usage_error("--descriptor-set " + file + ": " + std::strerror(errno));
  google::protobuf::FileDescriptorSet set;
  if (!set.ParseFromIstream(&stream)) {
    throw process::usage_error("--descriptor-set " + file +
                               ": not a FileDescriptorSet; create one with protoc --include_imports -o");
  }
  return std::make_unique<DescriptorSet>(file, set);
}

}  // namespace trunkline::cli::schema
