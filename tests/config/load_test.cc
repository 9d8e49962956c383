#include "config/load.h"

#include <doctest/doctest.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "config/need.h"

namespace penstock {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGood =
    "penstock: 1\n"
    "seed: 3\n"
    "nodes:\n"
    "  - id: read\n"
    "    op: read_folder\n"
    "    params: {root: \"a b\", shuffle: true}\n"
    "  - {id: batch, op: collate, params: {batch_size: 8}}\n";

std::string errors_of(const std::string& text, const std::vector<std::string>& sets = {}) {
  std::vector<Diagnostic> diagnostics;
  const auto spec = load_text(text, "<string>", "", sets, &diagnostics);
  CHECK(spec.has_value() == !has_errors(diagnostics));
  return format_text(diagnostics);
}

GraphSpec good(const std::string& text, const std::vector<std::string>& sets = {}) {
  std::vector<Diagnostic> diagnostics;
  return need(load_text(text, "<string>", "", sets, &diagnostics), diagnostics);
}

bool starts_with(const std::string& text, const std::string& start) {
  CAPTURE(text);
  CHECK(text.substr(0, start.size()) == start);
  return text.starts_with(start);
}

std::string with_crlf(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '\n' ? std::string("\r\n") : std::string(1, c);
  return result;
}

/// Seconds of CPU that refusing the text takes, undisturbed by other processes; sanitizers do the
/// same several times as slowly.
double seconds_for(const std::string& text) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr double kSlower = 8;
#else
  constexpr double kSlower = 1;
#endif
  const std::clock_t start = std::clock();
  CHECK(errors_of(text) != "");
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / kSlower;
}

}  // namespace

TEST_CASE("values keep their text, quotes and places") {
  const GraphSpec spec = good(kGood);
  REQUIRE(spec.nodes.size() == 2);
  const NodeSpec& read = spec.nodes[0];
  CHECK(read.at == Position{"<string>", 4, 9, 4});
  CHECK(read.source_line == "  - id: read");
  CHECK(read.op_at == Position{"<string>", 5, 9, 11});
  REQUIRE(read.params.size() == 2);
  CHECK(read.params[0].second.text == "a b");
  CHECK(read.params[0].second.quoted);
  CHECK(read.params[0].second.at == Position{"<string>", 6, 20, 5});
  CHECK_FALSE(read.params[1].second.quoted);
  CHECK(read.params[1].first.at == Position{"<string>", 6, 27, 7});
  CHECK(read.base_dir == fs::current_path().string());
  CHECK_FALSE(read.from_given);
  CHECK(spec.seed == 3);
  CHECK_FALSE(spec.threads);
  CHECK_FALSE(spec.batches);
}

TEST_CASE("Windows line ends and a byte-order mark change nothing but the bytes") {
  const std::string plain = resolved_yaml(good(kGood));
  CHECK(resolved_yaml(good(with_crlf(kGood))) == plain);
  CHECK(resolved_yaml(good(std::string("\xEF\xBB\xBF") + kGood)) == plain);
  const std::string bad = std::string(kGood) + "sead: 1\n";
  CHECK(errors_of(with_crlf(bad)) == errors_of(bad));
  CHECK(errors_of("\xEF\xBB\xBF" + with_crlf(bad)) == errors_of(bad));
}

TEST_CASE("columns count characters, not bytes") {
  const std::string text =
      "penstock: 1\nnodes:\n  - {id: a, op: \"größer €\", queue: {items: x}}\n";
  CHECK(starts_with(errors_of(text), "<string>:3:44: error[wrong-type]: nodes.a.queue.items"));
}

TEST_CASE("what is no UTF-8 text is refused with its place") {
  using namespace std::string_literals;
  CHECK(starts_with(errors_of("penstock: 1\nname: \xFF\n"),
                    "<string>:2:7: error[encoding]: byte 0xFF is not valid UTF-8"));
  CHECK(starts_with(errors_of("name: \xC0\xAF"s), "<string>:1:7: error[encoding]: byte 0xC0"));
  CHECK(starts_with(errors_of("name: \xED\xA0\x80"s), "<string>:1:7: error[encoding]: byte 0xED"));
  CHECK(starts_with(errors_of("name: \xE2\x82"s), "<string>:1:7: error[encoding]: byte 0xE2"));
  CHECK(starts_with(errors_of("a: 1\nb: \0x"s), "<string>:2:4: error[encoding]: a NUL byte"));
  CHECK(starts_with(errors_of("a: \x04 b: 2\n"s), "<string>:1:4: error[encoding]: a control"));
  CHECK(starts_with(errors_of("a: 1\rb: 2\n"s), "<string>:1:5: error[encoding]: a carriage"));
  CHECK(starts_with(errors_of("\xFF\xFE\x70\0"s),
                    "<string>:1:1: error[encoding]: the file is UTF-16"));
}

TEST_CASE("a file that is not there, a folder and one that is too large are named") {
  std::vector<Diagnostic> diagnostics;
  CHECK_FALSE(load_file("no/such.yaml", {}, &diagnostics));
  CHECK(format_text(diagnostics) ==
        "no/such.yaml: error[cannot-read]: cannot read the file: No such file or directory\n");
  diagnostics.clear();
  CHECK_FALSE(load_file("/", {}, &diagnostics));
  CHECK(format_text(diagnostics) ==
        "/: error[cannot-read]: cannot read the file: it is a folder\n");
  diagnostics.clear();
  CHECK_FALSE(load_file("/dev/zero", {}, &diagnostics));
  CHECK(format_text(diagnostics) ==
        "/dev/zero: error[cannot-read]: cannot read the file: it is larger than 1 MiB\n");
}

TEST_CASE("a path with blanks and other letters is read, and its folder is absolute") {
  const fs::path folder = fs::temp_directory_path() / "penstock päth данные";
  fs::create_directories(folder);
  std::ofstream(folder / "a b.yaml") << kGood;
  std::vector<Diagnostic> diagnostics;
  auto loaded = load_file((folder / "a b.yaml").string(), {}, &diagnostics);
  fs::remove_all(folder);
  const GraphSpec spec = need(std::move(loaded), diagnostics);
  CHECK(spec.nodes[0].base_dir == folder.string());
  CHECK(spec.file == (folder / "a b.yaml").string());
}

TEST_CASE("paths given by --set start from the current folder") {
  std::vector<Diagnostic> diagnostics;
  const GraphSpec spec =
      need(load_text(kGood, "<string>", "/elsewhere", {"nodes.read.params.root=x"}, &diagnostics),
           diagnostics);
  const NodeSpec& read = spec.nodes[0];
  CHECK(read.base_dir == "/elsewhere");
  CHECK(read.params[0].second.at.text() == "--set nodes.read.params.root");
  CHECK(base_dir_of(read, read.params[0].second) == fs::current_path().string());
  CHECK(base_dir_of(read, read.params[1].second) == "/elsewhere");
  const auto is_path = [](const std::string& op, const std::string& param) {
    return op == "read_folder" && param == "root";
  };
  const std::string text = resolved_yaml(spec, is_path);
  CHECK(text.find((fs::current_path() / "x").string()) != std::string::npos);
}

TEST_CASE("later sets win, and a whole value may be a list or a mapping") {
  const GraphSpec spec =
      good(kGood, {"seed=1", "seed=2", "nodes.batch.from=[read, read.image]",
                   "nodes.batch.queue={items: 4, bytes: 1MiB}", "nodes.read.params={root: c}",
                   "plugins=a.so", "nodes.read.params.root=/x, y"});
  CHECK(spec.seed == 2);
  REQUIRE(spec.nodes[1].from.size() == 2);
  CHECK(spec.nodes[1].from[1].field == "image");
  CHECK(spec.nodes[1].queue.items == 4U);
  CHECK(spec.nodes[1].queue.bytes == 1048576U);
  REQUIRE(spec.nodes[0].params.size() == 1);
  CHECK(spec.nodes[0].params[0].second.text == "/x, y");
  REQUIRE(spec.plugins.size() == 1);
  CHECK(spec.plugins[0].path == (fs::current_path() / "a.so").string());
}

TEST_CASE("a partial pipeline serves further checks only where its nodes can be told") {
  std::vector<Diagnostic> diagnostics;
  std::optional<GraphSpec> partial;
  const std::string typo = std::string(kGood) + "sead: 1\n";
  CHECK_FALSE(load_text(typo, "<string>", "", {}, &diagnostics, &partial));
  CHECK(need(partial, diagnostics).nodes.size() == 2);
  CHECK_FALSE(load_text(typo + "  - {op: x}\n", "<string>", "", {}, &diagnostics, &partial));
  CHECK_FALSE(partial);
  const std::string no_id = std::string(kGood) + "  - {op: x}\n";
  CHECK_FALSE(load_text(no_id, "<string>", "", {}, &diagnostics, &partial));
  CHECK_FALSE(partial);
}

TEST_CASE("hostile texts are refused in well under a second") {
  std::string laughs = "x-0: &a0 [l, l, l, l, l, l, l, l, l, l]\n";
  for (int i = 1; i < 60; ++i) {
    const std::string a = std::to_string(i - 1);
    laughs.append("x-").append(std::to_string(i)).append(": &a").append(std::to_string(i));
    laughs.append(" {<<: [*a").append(a).append(", *a").append(a).append("], k: *a").append(a);
    laughs.append(", l: *a").append(a).append("}\n");
  }
  std::string keys = "penstock: 1\n";
  for (int i = 0; i < 40'000; ++i) keys.append("k").append(std::to_string(i)).append(": 1\n");
  CHECK(seconds_for(laughs) < 1);
  CHECK(seconds_for(keys) < 1);
  CHECK(seconds_for(std::string(1'000'000, '[')) < 1);
  CHECK(seconds_for("a: " + std::string(1'000'000, '{')) < 1);
  CHECK(seconds_for("a: \"" + std::string(1'000'000, 'x')) < 1);
  CHECK(seconds_for("[" + std::string(900'000, ',')) < 1);
  std::string list = "a: [\"ä\"";
  for (int i = 0; i < 40'000; ++i) list += ", aaaaaaaaaaaaaaaaaaaa";
  CHECK(seconds_for(list + "]") < 1);
  std::string empties = "a:\n";
  for (int i = 0; i < 40'000; ++i) empties += "-   # nothing\n";
  CHECK(seconds_for(empties) < 1);
}

TEST_CASE("a long line is left out of messages") {
  const std::string text = "penstock: 1\nsead: " + std::string(1000, 'x') + "\n";
  CHECK(starts_with(errors_of(text),
                    "<string>:1:1: error[missing-key]: the pipeline has no nodes\n"
                    "  1 | penstock: 1\n    | ^\n"
                    "  help: list them: nodes: [{id: read, op: read_folder}, ...]\n"
                    "<string>:2:1: error[unknown-key]: the pipeline has no key 'sead'\n"
                    "  help: did you mean 'seed'?\n"));
}

}  // namespace penstock
