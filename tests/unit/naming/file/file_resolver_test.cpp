// SPDX-License-Identifier: MIT
// Files that are written, replaced, removed and malformed.
#include "naming/file/file_resolver.h"

#include "kit/manual_clock.h"

#include <trunkline/channel_options.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace trunkline::naming::file {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class WatchedFile : public ::testing::Test, public ResolverUpdates {
 protected:
  WatchedFile() {
    std::string name = (fs::temp_directory_path() / "fleet-XXXXXX").string();
    folder = ::mkdtemp(name.data());
  }
  ~WatchedFile() override {
    resolver.reset();
    fs::remove_all(folder);
  }
  void update(Resolution resolution) override {
    updates.push_back(std::move(resolution));
    if (destroys) resolver.reset();
  }
  void fail(Status error) override { failures.emplace_back(error.message()); }

  net::Loop& loop() { return net::Loop::of(*event_loop); }
  void start() {
    resolver = std::make_unique<FileResolver>(loop(), folder / "fleet.json", "tcp");
    resolver->start({std::shared_ptr<void>(), this});
  }
  static std::string fleet_of(int port) { return R"({"servers": [{"address": "a:)" + std::to_string(port) + R"("}]})"; }
  static void write(const fs::path& path, const std::string& content) { std::ofstream(path) << content; }
  void settle() {
    while (event_loop->poll()) {
    }
  }
  void advance(base::Duration by) {
    settle();
    clock.advance(by);
    settle();
  }
  std::uint16_t last_port() const { return updates.back().servers.at(0).endpoint.port(); }

  kit::ManualClock clock;
  std::unique_ptr<EventLoop> event_loop = net::Loop::make_event_loop({}, &clock);
  fs::path folder;
  bool destroys = false;
  std::vector<Resolution> updates;
  std::vector<std::string> failures;
  std::unique_ptr<FileResolver> resolver;
};

TEST_F(WatchedFile, IsReadAtOnceAndWhenItChanges) {
  write(folder / "fleet.json", fleet_of(1));
  start();
  ASSERT_EQ(updates.size(), 1u);
  EXPECT_EQ(last_port(), 1);

  write(folder / "fleet.json", fleet_of(2));
  settle();
  EXPECT_EQ(updates.size(), 1u) << "changes are collected";
  advance(60ms);
  ASSERT_EQ(updates.size(), 2u);
  EXPECT_EQ(last_port(), 2);
}

TEST_F(WatchedFile, IsReportedOnceIfItsContentStays) {
  write(folder / "fleet.json", fleet_of(1));
  start();
  write(folder / "fleet.json", fleet_of(1));
  write(folder / "other", "");
  advance(60ms);
  EXPECT_EQ(updates.size(), 1u);
}

TEST_F(WatchedFile, MayBeReplacedByRenaming) {
  write(folder / "fleet.json", fleet_of(1));
  start();
  write(folder / "new", fleet_of(2));
  fs::rename(folder / "new", folder / "fleet.json");
  advance(60ms);
  EXPECT_EQ(last_port(), 2);
}

TEST_F(WatchedFile, MayBeALinkThroughALinkThatIsSwapped) {
  fs::create_directory(folder / "..first");
  fs::create_directory(folder / "..second");
  write(folder / "..first" / "fleet.json", fleet_of(1));
  write(folder / "..second" / "fleet.json", fleet_of(2));
  fs::create_directory_symlink("..first", folder / "..data");
  fs::create_symlink("..data/fleet.json", folder / "fleet.json");
  start();
  EXPECT_EQ(last_port(), 1);

  fs::create_directory_symlink("..second", folder / "..data_new");
  fs::rename(folder / "..data_new", folder / "..data");
  advance(60ms);

  ASSERT_EQ(updates.size(), 2u);
  EXPECT_EQ(last_port(), 2);
}

TEST_F(WatchedFile, KeepsWhatWasReportedWhenItIsMalformed) {
  write(folder / "fleet.json", fleet_of(1));
  start();
  write(folder / "fleet.json", "{\n ]");
  advance(60ms);
  EXPECT_EQ(updates.size(), 1u);
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures[0], "read " + (folder / "fleet.json").string() + ": line 2, column 2: syntax error");

  write(folder / "fleet.json", fleet_of(1));
  advance(60ms);
  EXPECT_EQ(updates.size(), 2u);
}

TEST_F(WatchedFile, MayComeLater) {
  start();
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_NE(failures[0].find("No such file"), std::string::npos);
  write(folder / "fleet.json", fleet_of(1));
  advance(60ms);
  EXPECT_EQ(last_port(), 1);
}

TEST_F(WatchedFile, MayComeLaterWithItsDirectory) {
  write(folder / "fleet.json", fleet_of(1));
  start();
  fs::remove_all(folder);
  advance(60ms);
  EXPECT_EQ(failures.size(), 1u);
  fs::create_directory(folder);
  write(folder / "fleet.json", fleet_of(2));
  advance(1100ms);
  EXPECT_EQ(last_port(), 2);
  write(folder / "fleet.json", fleet_of(3));
  advance(60ms);
  EXPECT_EQ(last_port(), 3);
}

TEST_F(WatchedFile, AListenerMayDestroyIt) {
  start();
  destroys = true;
  write(folder / "fleet.json", fleet_of(1));
  advance(60ms);
  EXPECT_EQ(resolver, nullptr);
  write(folder / "fleet.json", fleet_of(2));
  advance(60ms);
  EXPECT_EQ(updates.size(), 1u);
}

TEST_F(WatchedFile, UriNamesAFile) {
  const ChannelOptions options;
  const auto refusal = [&](const char* uri) {
    const Target target = Target::parse(uri).value();
    return std::string(
        make_file_resolver({.target = target, .options = options, .executor = {}, .loop = loop()}).status().message());
  };
  EXPECT_EQ(refusal("file:///etc/a%20fleet.json"), "");
  EXPECT_NE(refusal("file://fleet.json").find("third '/'"), std::string::npos);
  EXPECT_NE(refusal("file:///").find("name of the file is missing"), std::string::npos);
  EXPECT_NE(refusal("file:///a?b=1").find("unknown parameter"), std::string::npos);
  EXPECT_NE(refusal("file:///a%2").find("'%'"), std::string::npos);
}

}  // namespace
}  // namespace trunkline::naming::file
