#include "conform/check.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <functional>
#include <stdexcept>

#include "conform/direct.h"
#include "conform/observe.h"
#include "conform/race.h"
#include "conform/schema_check.h"
#include "conform/subject.h"

namespace penstock::conform {
namespace {

constexpr int kThreads = 4;
constexpr uint64_t kFewItems = 1000;
constexpr uint64_t kManyItems = 10000;
constexpr uint64_t kFewFirings = 100;
constexpr double kLeak = 16;  // bytes: any block of the heap is larger

struct Outcome {
  Finding::Status status = Finding::Status::kPass;
  std::string text;
};
Outcome pass(std::string text) { return {Finding::Status::kPass, std::move(text)}; }
Outcome fail(std::string text) { return {Finding::Status::kFail, std::move(text)}; }
Outcome not_done(std::string text) { return {Finding::Status::kNotDone, std::move(text)}; }

std::string joined(const std::vector<std::string>& texts) {
  return fmt::format("{}", fmt::join(texts, "; "));
}

/// What of a list's outcome differs first, or "".
std::string difference(const Observed& a, const Observed& b) {
  const size_t size = std::min(a.items.size(), b.items.size());
  for (size_t i = 0; i < size; ++i) {
    if (a.items[i] != b.items[i]) {
      return fmt::format("output {} differs (position {})", i, a.items[i].first.position);
    }
  }
  if (a.cut || b.cut) return "";  // the rest was not seen
  if (a.items.size() != b.items.size()) {
    return fmt::format("{} outputs, then {}", a.items.size(), b.items.size());
  }
  return a.error == b.error ? "" : "one run fails: " + (a.error.empty() ? b.error : a.error);
}

class Checker {
 public:
  Checker(const Registry& registry, const std::string& op, const std::vector<std::string>& set,
          Listener& listener)
      : subject_(registry, op, set), listener_(listener) {}

  void run() {
    if (!check("inputs", [this] { return inputs(); })) return;
    check("schema", [this] { return schema(); });
    if (watches_threads()) {
      check("race", [this] { return race(); });
      return;
    }
    if (!check("declared", [this] { return declared(); })) return;
    check("const", [this] { return leaves_inputs(); });
    check("strided", [this] { return strided(); });
    check("seed", [this] { return seed(); });
    check("concurrency", [this] { return concurrency(); });
    check("errors", [this] { return errors(); });
    check("leak", [this] { return leak(); });
    check("cost", [this] { return cost(); });
  }

 private:
  /// False after a failure.
  bool check(const std::string& name, const std::function<Outcome()>& body) {
    listener_.begin(name);
    Outcome outcome;
    try {
      outcome = body();
    } catch (const std::exception& error) {
      outcome = fail(error.what());
    } catch (...) {
      outcome = fail("it threw something that is no std::exception");
    }
    listener_.end({outcome.status, name, outcome.text});
    return outcome.status != Finding::Status::kFail;
  }

  std::shared_ptr<const Plan> plan(const Setting& setting) const {
    std::string reasons;
    auto made = subject_.plan(setting, &reasons);
    if (made == nullptr) throw std::runtime_error(reasons);
    return made;
  }
  bool is_serial() const {
    return subject_.schema().state() == State::kSerial || subject_.schema().kind() == Kind::kTake;
  }

  Outcome inputs() {
    const std::string reason = subject_.find_inputs();
    if (!reason.empty()) return fail(reason);
    std::vector<std::string> fields;
    for (const std::string& path : subject_.made_paths()) {
      fields.push_back(path + ": a folder of class folders with small pictures");
    }
    if (subject_.inputs().empty()) {
      fields.insert(fields.begin(), "none: a source");
      return pass(joined(fields));
    }
    const auto made = plan({});
    const Item first = Subject::input_of(*made, 0);
    for (size_t i = 0; i < first.fields.size(); ++i) {
      const auto* tensor = std::get_if<Tensor>(&first.fields[i]);
      fields.push_back(made->nodes().front().fields.at(static_cast<int>(i)).name + ": " +
                       (tensor == nullptr ? "text" : tensor->describe()));
    }
    return pass(joined(fields));
  }

  Outcome schema() {
    const auto made = plan({});
    const auto faults =
        faults_of(subject_.schema(), &Subject::node_of(*made), written_fields(made));
    return faults.empty() ? pass("complete") : fail(joined(faults));
  }

  Outcome declared() {
    const Observed seen = observe(plan({}), 0);
    if (!seen.error.empty()) return fail(seen.error);
    if (!seen.untrue.empty()) return fail(joined(seen.untrue));
    if (seen.filtered > 0 && !subject_.schema().may_drop() &&
        subject_.schema().kind() != Kind::kTake) {
      return fail("it drops samples and its schema does not say so: drops()");
    }
    if (seen.items.empty()) {
      return fail(
          seen.cut ? fmt::format("no output came within {:.0f} s", kLongestRun)
                   : "no output came, so that nothing can be checked: give parameters (--set) for "
                     "which there is one");
    }
    return pass(fmt::format("true of {} outputs{}", seen.items.size(),
                            seen.cut ? fmt::format(", all within {:.0f} s", kLongestRun) : ""));
  }

  Outcome leaves_inputs() {
    const Kind kind = subject_.schema().kind();
    if (!makes_outputs(kind) && kind != Kind::kSink) return not_done("it has no body with inputs");
    const std::string text = changed_input(plan({}));
    return text.empty() ? pass("inputs are left as they are") : fail(text);
  }

  Outcome strided() {
    if (!makes_outputs(subject_.schema().kind())) {
      return not_done("it has no body with inputs and outputs");
    }
    const Strided seen = try_strided(plan({}));
    if (seen.changes_input) return fail("it changes a strided input, which other nodes may share");
    if (!seen.wrong.empty()) {
      return fail("it reads a strided input as a dense one (" + seen.wrong +
                  "): heed strides(), or refuse it where contiguous() is false");
    }
    if (seen.same + seen.refused == 0) return not_done("nothing to compare with");
    return pass(seen.refused > 0 ? "strided inputs are refused" : "the same for strided inputs");
  }

  Outcome seed() {
    const Observed first = observe(plan({}), 0);
    if (std::string text = difference(first, observe(plan({}), 0)); !text.empty()) {
      return fail("two runs with one seed: " + text);
    }
    const std::string text = difference(first, observe(plan({.seed = 2}), 0));
    const bool is_random = subject_.schema().is_random();
    if (!text.empty() && !is_random) {
      return fail("another seed: " + text + "; its schema does not say random()");
    }
    return pass(text.empty() ? "the same for any seed"
                             : "the same for one seed, other for another");
  }

  Outcome concurrency() {
    if (is_serial()) return not_done("it has one slot");
    const Observed one = observe(plan({.concurrency = 1}), kThreads);
    const Observed eight = observe(plan({.concurrency = 8}), kThreads);
    const std::string text = difference(one, eight);
    return text.empty() ? pass("1 and 8 slots give the same") : fail("1 and 8 slots: " + text);
  }

  Outcome errors() {
    if (subject_.inputs().empty()) return not_done("a source has no inputs to fail on");
    const Setting odd{.odd_every = 3, .skip_errors = true};
    const Observed good = observe(plan({}), 0);
    const Observed one = observe(plan(odd), 0);
    if (std::string text = harm_done(good, one); !text.empty()) return fail(text);
    if (!one.error.empty()) return fail("with on_error: skip: " + one.error);
    if (!is_serial()) {
      Setting eight = odd;
      eight.concurrency = 8;
      const std::string text = difference(one, observe(plan(eight), kThreads));
      if (!text.empty()) return fail("odd samples, 1 and 8 slots: " + text);
    }
    if (one.skipped == 0) return pass("it takes odd samples too");
    const Observed failing = observe(plan({.odd_every = 3}), 0);
    if (failing.error.find("no std::exception") != std::string::npos) {
      return fail("it throws something that is no std::exception");
    }
    if (failing.error.find("gives no reason") != std::string::npos) {
      return fail("it fails and gives no reason: fail() says why");
    }
    if (failing.error.empty()) {
      return failing.cut ? not_done("it is too slow to tell")
                         : fail("with on_error: fail an error is lost");
    }
    return pass(fmt::format("{} odd samples fail, the others are not touched", one.skipped));
  }

  /// An operator that gives one output for a sample gives the same one whatever came before.
  std::string harm_done(const Observed& good, const Observed& odd) const {
    const Kind kind = subject_.schema().kind();
    if (is_serial() || kind != Kind::kMap) return "";
    for (const auto& [origin, digest] : odd.items) {
      if (origin.position % 3 == 2) continue;
      const auto before =
          std::find_if(good.items.begin(), good.items.end(),
                       [&, at = origin](const auto& item) { return item.first == at; });
      if (before != good.items.end() && before->second != digest) {
        return fmt::format("after an odd sample the output at position {} is another one",
                           origin.position);
      }
    }
    return "";
  }

  Outcome leak() {
    const auto in_use = [] {
      const struct mallinfo2 info = mallinfo2();
      return static_cast<double>(info.uordblks + info.hblkhd);
    };
    const auto files = [] {
      const std::filesystem::directory_iterator open("/proc/self/fd");
      return std::distance(begin(open), end(open));
    };
    run_through(plan({.items = kFewItems}));
    const double before = in_use();
    const auto files_before = files();
    const auto [items, firings] = run_through(plan({.items = kManyItems}));
    // A collate fires once for many items, an expand many times for one, a merge has no body. A few
    // firings alone are too few for what the heap itself keeps.
    const uint64_t times =
        std::max<uint64_t>(1, firings < kFewFirings ? items : std::min(items, firings));
    const double each = (in_use() - before) / static_cast<double>(times);
    if (in_use() == 0) return not_done("the heap of a sanitizer tells nothing");
    if (files() > files_before) {
      return fail(fmt::format("{} files are left open", files() - files_before));
    }
    if (items < kFewItems) {
      return not_done(fmt::format("{} items in {:.0f} s are too few to tell", items, kLongestRun));
    }
    if (each > kLeak) return fail(fmt::format("{:.0f} bytes a firing stay behind", each));
    return pass(fmt::format("nothing stays behind {} items", items));
  }

  Outcome race() {
    if (!call_from_threads(plan({}))) {
      return fail("the thread sanitizer reports a data race (its words are on stderr)");
    }
    return pass("called from several threads; the sanitizer reports nothing");
  }

  Outcome cost() {
    const Observed seen = observe(plan({.items = kFewItems}), 0);
    if (seen.firings == 0) return not_done("it has no body");
    return pass(fmt::format("{:.1f} us a call (95 % below {:.1f} us)", seen.mean_us, seen.p95_us));
  }

  Subject subject_;
  Listener& listener_;
};

}  // namespace

void check_operator(const Registry& registry, const std::string& op,
                    const std::vector<std::string>& set, Listener& listener) {
  Checker(registry, op, set, listener).run();
}

}  // namespace penstock::conform
