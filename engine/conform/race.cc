#include "conform/race.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <thread>
#include <vector>

#include "conform/fire.h"
#include "conform/subject.h"

namespace penstock::conform {
namespace {

constexpr int kThreads = 4;
constexpr uint64_t kCalls = 50;

void call(Operator& op, const PlanNode& node, const std::vector<Item>& inputs, uint64_t first) {
  for (uint64_t i = 0; i < kCalls; ++i) {
    std::vector<const Item*> in;
    if (node.kind != Kind::kSource) in.push_back(&inputs[(first + i) % inputs.size()]);
    Origin origin;
    origin.position = origin.index = first + i;
    if (const auto* source = dynamic_cast<const Source*>(&op)) {
      const uint64_t size = source->size(0);
      if (size == 0) return;
      origin.index %= size;
    }
    try {
      fire(op, node, in, in.empty() ? origin : in[0]->origin);
    } catch (const std::exception&) {
      // A sample's error; the other checks look at those.
    }
  }
}

/// While it lives, what the sanitizer says is kept.
class Reports {
 public:
  Reports() : file_(std::tmpfile()) {
    if (file_ != nullptr && set_ != nullptr) say_to(fileno(file_));
  }
  ~Reports() {
    if (file_ != nullptr) std::fclose(file_);
  }
  Reports(const Reports&) = delete;
  Reports& operator=(const Reports&) = delete;

  /// Passes on what was said; false where there was nothing.
  bool pass_on() {
    if (file_ == nullptr || set_ == nullptr) return false;
    say_to(STDERR_FILENO);
    lseek(fileno(file_), 0, SEEK_SET);
    bool any = false;
    char bytes[4096];
    for (ssize_t n; (n = read(fileno(file_), bytes, sizeof bytes)) > 0; any = true) {
      std::fwrite(bytes, 1, static_cast<size_t>(n), stderr);
    }
    return any;
  }

 private:
  void say_to(int file) {
    set_(reinterpret_cast<void*>(static_cast<intptr_t>(file)));  // NOLINT: the sanitizer's form
  }

  std::FILE* file_;
  void (*set_)(void*) = reinterpret_cast<void (*)(void*)>(dlsym(RTLD_DEFAULT,
                                                                "__sanitizer_set_report_fd"));
};

}  // namespace

bool watches_threads() { return dlsym(RTLD_DEFAULT, "__tsan_init") != nullptr; }

bool call_from_threads(const std::shared_ptr<const Plan>& plan) {
  const PlanNode& node = Subject::node_of(*plan);
  std::vector<Item> inputs;
  for (uint64_t i = 0; node.kind != Kind::kSource && i < 16; ++i) {
    inputs.push_back(Subject::input_of(*plan, i));
  }
  const int count = node.state == State::kSerial ? 1 : kThreads;
  Reports reports;
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) {
    threads.emplace_back([&, t] {
      std::unique_ptr<Operator> own;
      if (node.state != State::kStateless) own = make_operator(node);
      call(own ? *own : *node.prototype, node, inputs, static_cast<uint64_t>(t) * kCalls);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return !reports.pass_on();
}

}  // namespace penstock::conform
