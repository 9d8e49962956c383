// Random damage to a good file: whatever comes, the loader answers with a spec or with errors that
// have a place, and what it accepts can be written and read again.
#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "config/load.h"
#include "config/need.h"

namespace penstock {
namespace {

constexpr const char* kStart =
    "penstock: 1\n"
    "name: \"mutants \\u00e4 é\"\n"
    "x-defaults: &d {size: [224, 224], seed: ~}\n"
    "seed: 17\n"
    "memory: 2GiB\n"
    "threads: auto\n"
    "nodes:\n"
    "  - id: read\n"
    "    op: read_folder\n"
    "    params: {root: \"${env:PENSTOCK_TEST_UNSET:-../photos}\", shuffle: true}\n"
    "    concurrency: 8   # blocking\n"
    "  - id: decode\n"
    "    op: decode_image\n"
    "    queue: {items: 32, bytes: 256MiB}\n"
    "    on_error: {policy: skip, max_fraction: 0.001}\n"
    "  - &crop\n"
    "    id: crop\n"
    "    op: random_resized_crop\n"
    "    params:\n"
    "      <<: *d\n"
    "      text: |\n"
    "        two\n"
    "        lines\n"
    "  - {id: both, op: zip, from: {left: decode, right: crop.image}, order: any}\n"
    "  - {id: batch, op: 'collate', from: [both], params: {batch_size: 8}}\n"
    "consumer: {from: batch, spin: 8ms}\n";

class Mutator {
 public:
  explicit Mutator(uint32_t seed) : random_(seed) {}

  std::string mutate(std::string text) {
    const size_t edits = 1 + below(4);
    for (size_t i = 0; i < edits; ++i) edit(&text);
    return text;
  }

 private:
  size_t below(size_t limit) { return random_() % limit; }

  void edit(std::string* text) {
    static const std::string kPieces = "&*{}[]:,-?|>!%@`'\"#~ \n\t\\$0x\xC3\xFF\x01";
    static const std::vector<std::string> kWords = {
        "<<: ", "*d",           "&d ",         "*crop", "---\n",  "...\n",  "- ",
        "? ",   ": ",           "!!str ",      "null",  "\r\n",   "${env:", "}",
        "  ",   "\xEF\xBB\xBF", "%YAML 1.2\n", "|-\n",  "&a [*a]"};
    const size_t at = below(text->size() + 1);
    const size_t length = std::min(below(12), text->size() - at);
    switch (below(5)) {
      case 0:
        text->erase(at, length);
        break;
      case 1:
        text->insert(at, text->substr(at, length));
        break;
      case 2:
        if (at < text->size()) (*text)[at] = kPieces[below(kPieces.size())];
        break;
      case 3:
        text->insert(at, kWords[below(kWords.size())]);
        break;
      default:
        text->insert(below(text->size() + 1), text->substr(at, below(200)));
    }
  }

  std::mt19937 random_;
};

void check_places(const std::vector<Diagnostic>& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) {
    CHECK(diagnostic.at.file == "<string>");
    CHECK(diagnostic.at.line >= 1);
    CHECK(diagnostic.at.column >= 1);
    CHECK(diagnostic.at.length >= 1);
    CHECK_FALSE(diagnostic.message.empty());
    CHECK(diagnostic.message.find('\n') == std::string::npos);
  }
}

}  // namespace

TEST_CASE("2,000 mutations never crash or hang, and what is accepted reads back") {
  int accepted = 0;
  for (uint32_t seed = 0; seed < 2'000; ++seed) {
    CAPTURE(seed);
    const std::string text = Mutator(seed).mutate(kStart);
    std::vector<Diagnostic> diagnostics;
    const auto spec = load_text(text, "<string>", "", {}, &diagnostics);
    CHECK(spec.has_value() == !has_errors(diagnostics));
    check_places(diagnostics);
    if (!spec) continue;
    ++accepted;
    const std::string resolved = resolved_yaml(*spec);
    CHECK(resolve_again(resolved) == resolved);
  }
  CHECK(accepted > 50);
}

}  // namespace penstock
