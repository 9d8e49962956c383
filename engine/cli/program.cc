#include "cli/program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace penstock::cli {
namespace {

constexpr int kNotFound = 127;  // of a shell, and of a spawn that fails in the child

/// Writes all of it; a reader that goes away shows in its exit status.
void write_all(int file, const std::string& text) {
  for (size_t sent = 0; sent < text.size();) {
    const ssize_t n = write(file, text.data() + sent, text.size() - sent);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    sent += static_cast<size_t>(n);
  }
}

std::string content(int file) {
  std::string text;
  char part[65536];
  for (off_t at = 0;;) {
    const ssize_t n = pread(file, part, sizeof part, at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(part, static_cast<size_t>(n));
    at += n;
  }
}

int exit_status(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

Outcome feed(const std::vector<std::string>& command, const std::string& input,
             std::string* output) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error(std::strerror(errno));
  const int written = memfd_create("penstock-picture", MFD_CLOEXEC);
  if (written < 0) {
    const int error = errno;
    close(ends[0]);
    close(ends[1]);
    throw std::runtime_error(std::strerror(error));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, written, STDOUT_FILENO);
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
  if (error == 0) write_all(ends[1], input);
  close(ends[1]);
  const int status = error == 0 ? exit_status(child) : kNotFound;
  *output = content(written);
  close(written);
  if (status == kNotFound) return Outcome::kMissing;
  return status == 0 ? Outcome::kDone : Outcome::kFailed;
}

}  // namespace penstock::cli
