// SPDX-License-Identifier: MIT
// A unix listener's file goes while its socket is open: until then nobody else can take the path, nor the file's
// number.
#include "connected_pair.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

namespace {

/// Whether something accepted at the path when it was last unlinked; -1: it has not been.
int accepted_at_unlink = -1;

bool accepts(const char* path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
  const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool accepted = ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  ::close(probe);
  return accepted;
}

}  // namespace

/// In the place of the C library's.
extern "C" int unlink(const char* path) noexcept {
  if (std::string_view(path).ends_with(".listener")) accepted_at_unlink = accepts(path) ? 1 : 0;
  return static_cast<int>(::syscall(SYS_unlink, path));
}

namespace trunkline::net {
namespace {

TEST(UnixListener, UnlinksItsFileWhileItAccepts) {
  const TemporaryDirectory directory;
  Loop loop;
  accepted_at_unlink = -1;
  auto opened = Listener::open(loop, endpoint_of("unix://" + directory.file("x.listener")), {}, {});
  ASSERT_TRUE(opened) << opened.status().to_string();
  ASSERT_EQ(accepted_at_unlink, -1);

  (*opened)->close();

  EXPECT_EQ(accepted_at_unlink, 1);
}

}  // namespace
}  // namespace trunkline::net
