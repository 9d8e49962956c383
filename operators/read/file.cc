#include "read/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "penstock/operator.h"

namespace penstock::operators {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what, int error) {
  if (error == EMFILE || error == ENFILE) {
    throw MachineError("cannot open '" + path + "': " + std::generic_category().message(error) +
                       "; raise the limit (ulimit -n) or lower the node's concurrency");
  }
  if (error == ENOMEM) throw MachineError("cannot read '" + path + "': out of memory");
  throw std::runtime_error(what + " '" + path + "': " + std::generic_category().message(error));
}

}  // namespace

File::File(const std::string& path) : path_(path) {
  // O_NONBLOCK matters to pipes and devices only: opening one must not hang before it is refused.
  do {
    descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  } while (descriptor_ < 0 && errno == EINTR);
  if (descriptor_ < 0) fail(path_, "cannot open", errno);
  struct stat status = {};
  const bool known = fstat(descriptor_, &status) == 0;
  if (!known || !S_ISREG(status.st_mode)) {
    const int error = errno;
    close(descriptor_);
    if (!known) fail(path_, "cannot examine", error);
    throw std::runtime_error("'" + path_ + "' is not a regular file");
  }
  size_ = status.st_size;
}

File::~File() {
  if (descriptor_ >= 0) close(descriptor_);
}

void File::read(std::span<uint8_t> to) const {
  size_t done = 0;
  while (done < to.size()) {
    const ssize_t got =
        pread(descriptor_, to.data() + done, to.size() - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path_, "cannot read", errno);
    if (got == 0) {
      throw std::runtime_error("'" + path_ + "' became shorter while it was read");
    }
    done += static_cast<size_t>(got);
  }
}

bool File::read_cached(std::span<uint8_t> to) const {
  size_t done = 0;
  while (done < to.size()) {
    iovec rest = {to.data() + done, to.size() - done};
    const ssize_t got = preadv2(descriptor_, &rest, 1, static_cast<off_t>(done), RWF_NOWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<size_t>(got);
  }
  return true;
}

}  // namespace penstock::operators
