#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "support/cli_pipelines.h"
#include "support/command.h"

using namespace penstock::testing;

namespace {

/// The message of `penstock run` for a pipeline, with the folder's path as ".".
struct Failure {
  int code;
  std::string err;
};

Failure run_in(const TempFolder& folder, const std::string& text,
               std::vector<std::string> more = {}) {
  folder.write("t.yaml", text);
  more.insert(more.begin(), {"run", "t.yaml"});
  const Outcome outcome = penstock_command(more, {.directory = folder.path().string()});
  CHECK(outcome.out.empty());  // never a half-printed report
  std::string err = outcome.err;
  const std::string path = std::filesystem::canonical(folder.path()).string();
  for (size_t at = err.find(path); at != std::string::npos; at = err.find(path)) {
    err.replace(at, path.size(), ".");
  }
  return {outcome.code, err};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void check_bad(const Failure& failure, const std::string& where, const std::string& what) {
  CHECK(failure.code == 78);
  CHECK_MESSAGE(failure.err.rfind(where, 0) == 0, failure.err);
  CHECK_MESSAGE(has(failure.err, what), failure.err);
}

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  return text.replace(text.find(part), part.size(), by);
}

}  // namespace

TEST_CASE("a missing and an empty folder are told at the parameter") {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "empty");
  check_bad(run_in(folder, photos("nowhere")), "t.yaml:4:", "there is no folder './nowhere'");
  check_bad(run_in(folder, photos("empty")), "t.yaml:4:", "./empty'");
}

TEST_CASE("mistakes in a file are told with place and remedy") {
  const TempFolder folder;
  check_bad(run_in(folder, "penstock: 1\nnodes: [\n"), "t.yaml:", "error[");
  check_bad(run_in(folder, replaced(kPlain, "collate", "colate")),
            "t.yaml:6:", "did you mean 'collate'?");
  check_bad(run_in(folder, replaced(kPlain, "batch_size: 4", "batch_size: 0")),
            "t.yaml:6:", "batch_size");
  check_bad(run_in(folder, replaced(kPlain, "{id: batch", "{id: batch, queue: {items: -1}")),
            "t.yaml:6:", "-1");
  check_bad(run_in(folder, replaced(kPlain, "{id: batch", "{id: batch, from: batch")),
            "t.yaml:", "batch");
}

TEST_CASE("every mistake is told at once, as JSON where asked") {
  const TempFolder folder;
  const std::string text = replaced(replaced(kPlain, "batch_size", "bacth_size"), "items", "itmes");
  const Failure failure = run_in(folder, text, {"--format", "json"});
  CHECK(failure.code == 78);
  const auto json = nlohmann::json::parse(failure.err);
  CHECK(json["diagnostics"].size() >= 2);
  const Outcome check =
      penstock_command({"check", (folder / "t.yaml").string(), "--format", "json"});
  CHECK(check.code == 78);
  CHECK(nlohmann::json::parse(check.out)["diagnostics"].size() >= 2);
  CHECK(check.err.empty());
}

TEST_CASE("a missing file names itself") {
  const Outcome outcome = penstock_command({"run", "/nowhere/t.yaml"});
  CHECK(outcome.code == 78);
  CHECK(has(outcome.err, "/nowhere/t.yaml"));
}

TEST_CASE("a corrupt photograph names node, place, file and cause") {
  const TempFolder folder;
  std::filesystem::copy(PENSTOCK_TEST_DATA "/photos", folder / "photos",
                        std::filesystem::copy_options::recursive);
  std::filesystem::resize_file(folder / "photos/barn/barn-227557.jpg", 3000);
  for (const std::vector<std::string>& way :
       {std::vector<std::string>{}, std::vector<std::string>{"--workers", "0"}}) {
    const Failure failure = run_in(folder, photos("photos"), way);
    CHECK(failure.code == 1);
    CHECK_MESSAGE(has(failure.err, "error: t.yaml:5:"), failure.err);
    CHECK_MESSAGE(has(failure.err, "decode: "), failure.err);
    CHECK_MESSAGE(has(failure.err, "barn/barn-227557.jpg"), failure.err);
  }
  const Outcome json = penstock_command({"run", (folder / "t.yaml").string(), "--format", "json"});
  CHECK(json.code == 1);
  const auto report = nlohmann::json::parse(json.out);
  CHECK(report["status"] == "failed");
  CHECK(report["error"]["node"] == "decode");
  CHECK(report["error"]["key"] == "barn/barn-227557.jpg");

  const Outcome skipped = penstock_command(
      {"run", (folder / "t.yaml").string(), "--set", "nodes.decode.on_error.policy=skip"});
  CHECK(skipped.code == 0);
  CHECK(has(skipped.out, "skipped 1 sample: 1 in decode\n  decode: barn/barn-227557.jpg: "));

  const Outcome sampled =
      penstock_command({"check", (folder / "t.yaml").string(), "--sample", "30"});
  CHECK(sampled.code == 1);
  CHECK(has(sampled.out, "decode (decode_image): 21 items, 1 failed\n"));
  CHECK(has(sampled.err, "barn/barn-227557.jpg"));
}

TEST_CASE("a run that gives no batch says why") {
  const TempFolder folder;
  const std::string text = replaced(kPlain, "batch_size: 4", "batch_size: 100, drop_last: true");
  const Failure once = run_in(folder, text);
  CHECK(once.code == 1);
  CHECK(once.err ==
        "t.yaml:6:21: warning[no-batch]: an epoch gives no batch\n"
        "  6 |   - {id: batch, op: collate, params: {batch_size: 100, drop_last: true}}\n"
        "    |                     ^~~~~~~\n"
        "  help: it gathers 100 samples for one: lower batch_size, or set drop_last: false\n"
        "error: the run gave no batch: collate 'batch' needs 100 samples for a batch and drops a "
        "short one (drop_last), and an epoch brings fewer: make has 64\n"
        "  help: lower nodes.batch.params.batch_size, or set drop_last: false\n");
  const Failure endless = run_in(folder, text, {"--batches", "5"});
  CHECK(endless.code == 1);
  CHECK_MESSAGE(has(endless.err, "needs 100 samples for a batch"), endless.err);
}

TEST_CASE("spaces and letters of any script in paths and names") {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "päth данные");
  std::filesystem::copy(PENSTOCK_TEST_DATA "/photos", folder / "päth данные/фото 1",
                        std::filesystem::copy_options::recursive);
  const std::string file = folder.write("päth данные/q ü.yaml", photos("фото 1"));
  const Outcome outcome = penstock_command({"run", file}, {.environment = {"LC_ALL=C"}});
  CHECK_MESSAGE(outcome.code == 0, outcome.err);
  CHECK(has(outcome.out, "photos: "));
}

TEST_CASE("limits of the system are told") {
  const TempFolder folder;
  const std::string path = folder.write("t.yaml", photos(PENSTOCK_TEST_DATA "/photos"));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const Outcome threads = penstock_command({"run", path, "--threads", "4096"},
                                           {.under = {"prlimit", "--as=8000000000"}});
  CHECK(threads.code == 1);
  CHECK_MESSAGE(has(threads.err, "the run needs 4097 more threads"), threads.err);
#endif
  const Outcome size = penstock_command({"run", path, "--trace", (folder / "trace").string()},
                                        {.under = {"prlimit", "--fsize=4096"}});
  CHECK(size.code == 1);
  CHECK_MESSAGE(has(size.err, "File too large"), size.err);
}

TEST_CASE("what a simulated device calls pinned is not the system's to lock") {
  const TempFolder folder;
  const std::string up = "  - {id: up, op: device_copy, params: {device: simulated}}\n";
  for (const std::string& nodes : {up, "  - {id: pin, op: pin}\n" + up}) {
    const Outcome outcome = penstock_command({"run", folder.write("t.yaml", kPlain + nodes)},
                                             {.under = {"prlimit", "--memlock=65536"}});
    CHECK(outcome.code == 0);
    CHECK_MESSAGE(!has(outcome.err, "may be locked"), outcome.err);
  }
}

TEST_CASE("a mistake of device_copy is not followed by a word on pin") {
  const TempFolder folder;
  const Failure failure =
      run_in(folder, kPlain +
                         "  - {id: pin, op: pin}\n"
                         "  - {id: up, op: device_copy, params: {device: simulated, std: [0]}}\n");
  check_bad(failure, "t.yaml:8:", "is only for pictures that are normalised here");
  CHECK_MESSAGE(!has(failure.err, "not pinned"), failure.err);
}

TEST_CASE("an include of a pipe is refused, not waited for") {
  const TempFolder folder;
  REQUIRE(mkfifo((folder / "pipe.yaml").c_str(), 0600) == 0);
  check_bad(run_in(folder, "include: [pipe.yaml]\n" + kPlain),
            "t.yaml:1:", "it is not a regular file");
}

TEST_CASE("control characters of a file's name are escaped") {
  const TempFolder folder;
  folder.write("photos/a/1\x1b[31m\n.jpg", "no picture");
  const Failure failure = run_in(folder, photos("photos"));
  CHECK(failure.code == 1);
  CHECK_MESSAGE(has(failure.err, "1\\x1b[31m\\n.jpg"), failure.err);
  CHECK(!has(failure.err, "\x1b"));
}

TEST_CASE("a plugin that cannot be loaded is told at its line") {
  const TempFolder folder;
  check_bad(run_in(folder, kPlain + "plugins: [a.so]\n"),
            "t.yaml:7:11: error[plugin]: cannot load './a.so': there is no such file\n"
            "  7 | plugins: [a.so]\n    |           ^~~~\n",
            "a.so");
  check_bad(run_in(folder, kPlain, {"--plugin", "b.so"}), "error[plugin]: cannot load 'b.so'",
            "b.so");
}

TEST_CASE("a variable that is not set is the one mistake of its value") {
  const TempFolder folder;
  const Failure failure =
      run_in(folder, kPlain + "threads: ${env:PENSTOCK_TEST_UNSET}\nbatches: x\n");
  CHECK(failure.code == 78);
  CHECK_MESSAGE(failure.err.rfind("t.yaml:7:10: error[env-unset]: ", 0) == 0, failure.err);
  CHECK(!has(failure.err, "threads must be"));
  CHECK(has(failure.err, "t.yaml:8:10: error["));
  const std::string root = "${env:PENSTOCK_TEST_UNSET}";
  const Failure param = run_in(folder, photos(root));
  CHECK_MESSAGE(!has(param.err, "there is no folder"), param.err);
}
