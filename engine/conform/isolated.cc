#include "conform/isolated.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace penstock::conform {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kBodyThrew = 3;
constexpr int kCannotTell = 4;  // its end of the pipe is gone
constexpr int kTickMs = 50;     // between two looks whether the child is there
constexpr int kFirstWord = 10;  // seconds after which a silent check is named

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
  /// The last word; a child that ends without it was ended by what it ran.
  void finished() { send("e\t\t"); }

 private:
  void send(std::string line) {
    for (char& c : line) {
      if (c == '\n') c = ' ';
    }
    line += '\n';
    for (size_t sent = 0; sent < line.size();) {
      const ssize_t n = write(file_, line.data() + sent, line.size() - sent);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) _exit(kCannotTell);
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
  bool finished() const { return finished_; }

 private:
  void take_line(const std::string& line) {
    const size_t tab = line.find('\t', 2);
    if (line.size() < 3 || tab == std::string::npos) return;
    const std::string check = line.substr(2, tab - 2);
    if (line[0] == 't') {
      thrown_ = line.substr(tab + 1);
      return;
    }
    if (line[0] == 'e') {
      finished_ = true;
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
  bool finished_ = false;
};

/// A folder for what the child and its operator write, removed with everything in it.
class TempRoot {
 public:
  TempRoot() {
    std::error_code error;
    path_ = (fs::temp_directory_path(error) / "penstock-check-XXXXXX").string();
    if (mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~TempRoot() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  TempRoot(const TempRoot&) = delete;
  TempRoot& operator=(const TempRoot&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

volatile sig_atomic_t asked_to_end = 0;

/// While it lives, SIGINT and SIGTERM are noted; afterwards they do what they did before.
class Signals {
 public:
  Signals() {
    asked_to_end = 0;
    struct sigaction note = {};
    note.sa_handler = [](int number) { asked_to_end = number; };
    sigaction(SIGINT, &note, &before_int_);
    sigaction(SIGTERM, &note, &before_term_);
  }
  ~Signals() {
    restore();
    if (asked_to_end != 0) raise(asked_to_end);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  void restore() const {
    sigaction(SIGINT, &before_int_, nullptr);
    sigaction(SIGTERM, &before_term_, nullptr);
  }

 private:
  struct sigaction before_int_ = {}, before_term_ = {};
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
  writer.finished();
  _exit(code);  // destructors of statics are the parent's
}

/// In a group of its own, which ends with the parent.
void leave_parent(pid_t parent, const std::string& temp_root) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kCannotTell);
  if (!temp_root.empty()) setenv("TMPDIR", temp_root.c_str(), 1);
}

bool is_gone(pid_t child) {
  siginfo_t info = {};
  const int rc = waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT);
  return rc == 0 && info.si_pid == child;
}

/// Takes what is there within `wait_ms`; false at the end of the pipe.
bool read_some(int file, int wait_ms, Reader* reader, bool* any) {
  *any = false;
  pollfd wait{.fd = file, .events = POLLIN, .revents = 0};
  if (poll(&wait, 1, wait_ms) <= 0) return true;
  char bytes[4096];
  const ssize_t n = read(file, bytes, sizeof bytes);
  if (n < 0 && errno == EINTR) return true;
  if (n <= 0) return false;
  reader->take(bytes, static_cast<size_t>(n));
  *any = true;
  return true;
}

/// Until the child is gone; a process that it left behind may hold the pipe open. False: nothing
/// was said for too long, or this process is to end.
bool read_all(int file, pid_t child, int silence_seconds, Reader* reader, Listener& listener) {
  Clock::time_point last = Clock::now();
  bool open = true, told = false;
  while (asked_to_end == 0) {
    const bool gone = is_gone(child);
    bool any = false;
    if (open) {
      open = read_some(file, gone ? 0 : kTickMs, reader, &any);
    } else if (!gone) {
      poll(nullptr, 0, kTickMs);
    }
    if (gone && !any) return true;
    if (any) {
      last = Clock::now();
      told = false;
    }
    const auto silent = Clock::now() - last;
    if (silent >= std::chrono::seconds(silence_seconds)) return false;
    if (!told && silent >= std::chrono::seconds(kFirstWord)) {
      listener.waits(reader->current(), kFirstWord, silence_seconds);
      told = true;
    }
  }
  return false;
}

/// Ends what the child left behind, which has become ours, also where it left the child's group.
void end_orphans() {
  for (;;) {
    std::ifstream list("/proc/thread-self/children");
    bool any = false;
    for (pid_t child = 0; list >> child; any = true) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
    if (!any) return;
  }
}

/// How a child that is gone ended, where that is not well, or "".
std::string end_of(int status, const Reader& reader, const std::string& where) {
  if (WIFSIGNALED(status)) {
    return "ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
           strsignal(WTERMSIG(status)) + ")" + where;
  }
  const int code = WEXITSTATUS(status);
  if (reader.finished() && code == 0) return "";
  if (reader.finished() && !reader.thrown().empty()) return reader.thrown();
  if (code == kCannotTell) return "it closed a file that is not its own" + where;
  return "it ended the process with exit code " + std::to_string(code) + where;
}

}  // namespace

std::string run_isolated(const std::function<void(Listener&)>& body, int silence_seconds,
                         Listener& listener) {
  const Signals signals;  // first: it ends this process after all is put away
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const TempRoot temp_root;
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error(std::strerror(errno));
  std::fflush(nullptr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) {
    const int error = errno;
    close(ends[0]);
    close(ends[1]);
    throw std::runtime_error(std::string("cannot start a process: ") + std::strerror(error));
  }
  if (child == 0) {
    signals.restore();
    close(ends[0]);
    leave_parent(parent, temp_root.path());
    be_child(body, ends[1]);
  }
  setpgid(child, child);
  close(ends[1]);
  Reader reader(listener);
  const bool ended = read_all(ends[0], child, silence_seconds, &reader, listener);
  close(ends[0]);
  kill(-child, SIGKILL);  // its number is not given away before it is waited for
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  end_orphans();
  const std::string where =
      reader.current().empty() ? "" : " in the check '" + reader.current() + "'";
  if (!ended) return "did not come back for " + std::to_string(silence_seconds) + " s" + where;
  return end_of(status, reader, where);
}

}  // namespace penstock::conform
