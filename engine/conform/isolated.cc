#include "conform/isolated.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>

namespace penstock::conform {
namespace {

constexpr int kBodyThrew = 3;

/// One message a line, "kind\tcheck\ttext"; the child's side.
class Writer : public Listener {
 public:
  explicit Writer(int file) : file_(file) {}
  void begin(const std::string& check) override { send("b\t" + check + "\t"); }
  void end(const Finding& finding) override {
    constexpr char kKinds[] = {'p', 'f', 'n'};
    send(std::string(1, kKinds[static_cast<size_t>(finding.status)]) + "\t" + finding.check + "\t" +
         finding.text);
  }

  void threw(const std::string& reason) { send("t\t\t" + reason); }

 private:
  void send(std::string line) {
    for (char& c : line) {
      if (c == '\n') c = ' ';
    }
    line += '\n';
    for (size_t sent = 0; sent < line.size();) {
      const ssize_t n = write(file_, line.data() + sent, line.size() - sent);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return;
      sent += static_cast<size_t>(n);
    }
  }
  int file_;
};

/// The parent's side: takes messages apart.
class Reader {
 public:
  explicit Reader(Listener& listener) : listener_(listener) {}
  void take(const char* bytes, size_t count) {
    pending_.append(bytes, count);
    for (size_t end = pending_.find('\n'); end != std::string::npos; end = pending_.find('\n')) {
      take_line(pending_.substr(0, end));
      pending_.erase(0, end + 1);
    }
  }
  const std::string& current() const { return current_; }
  /// What the child's body threw.
  const std::string& thrown() const { return thrown_; }

 private:
  void take_line(const std::string& line) {
    const size_t tab = line.find('\t', 2);
    if (line.size() < 3 || tab == std::string::npos) return;
    const std::string check = line.substr(2, tab - 2);
    if (line[0] == 't') {
      thrown_ = line.substr(tab + 1);
      return;
    }
    if (line[0] == 'b') {
      current_ = check;
      return listener_.begin(check);
    }
    current_.clear();
    const auto status = line[0] == 'p'   ? Finding::Status::kPass
                        : line[0] == 'f' ? Finding::Status::kFail
                                         : Finding::Status::kNotDone;
    listener_.end({status, check, line.substr(tab + 1)});
  }
  Listener& listener_;
  std::string pending_, current_, thrown_;
};

[[noreturn]] void be_child(const std::function<void(Listener&)>& body, int file) {
  Writer writer(file);
  int code = 0;
  try {
    body(writer);
  } catch (const std::exception& error) {
    writer.threw(error.what());
    code = kBodyThrew;
  }
  std::fflush(nullptr);
  _exit(code);  // destructors of statics are the parent's
}

/// False: nothing was said for too long.
bool read_all(int file, int silence_seconds, Reader* reader) {
  for (;;) {
    pollfd wait{.fd = file, .events = POLLIN, .revents = 0};
    const int ready = poll(&wait, 1, silence_seconds * 1000);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    char bytes[4096];
    const ssize_t n = read(file, bytes, sizeof bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return true;
    reader->take(bytes, static_cast<size_t>(n));
  }
}

}  // namespace

std::string run_isolated(const std::function<void(Listener&)>& body, int silence_seconds,
                         Listener& listener) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error(std::strerror(errno));
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) {
    const int error = errno;
    close(ends[0]);
    close(ends[1]);
    throw std::runtime_error(std::string("cannot start a process: ") + std::strerror(error));
  }
  if (child == 0) {
    close(ends[0]);
    be_child(body, ends[1]);
  }
  close(ends[1]);
  Reader reader(listener);
  const bool ended = read_all(ends[0], silence_seconds, &reader);
  close(ends[0]);
  if (!ended) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const std::string where =
      reader.current().empty() ? "" : " in the check '" + reader.current() + "'";
  if (!ended) return "did not come back for " + std::to_string(silence_seconds) + " s" + where;
  if (WIFSIGNALED(status)) {
    return "ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
           strsignal(WTERMSIG(status)) + ")" + where;
  }
  if (WEXITSTATUS(status) == 0) return "";
  if (!reader.thrown().empty()) return reader.thrown();
  return "ended with exit code " + std::to_string(WEXITSTATUS(status)) + where;
}

}  // namespace penstock::conform
