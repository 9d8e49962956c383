#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "support/cli_pipelines.h"
#include "support/command.h"

using namespace penstock::testing;
using nlohmann::json;

namespace {

constexpr const char* kFirst = "note: the first batch is there\n";
constexpr const char* kStopping = "note: stopping; a second signal ends at once\n";

json report_of(const Outcome& outcome) {
  REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  return json::parse(outcome.out);
}

double sum_of(const json& shares) {
  double sum = 0;
  for (const auto& share : shares) sum += share.is_null() ? 0 : share.get<double>();
  return sum;
}

}  // namespace

TEST_CASE("run prints a report, and nothing else on stdout") {
  const TempFolder folder;
  const std::string file = folder.write("plain.yaml", kPlain);
  const Outcome outcome = penstock_command({"run", file});
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());  // no terminal: no progress
  CHECK(outcome.out.rfind("plain: ", 0) == 0);
  for (const char* part : {"(12 batches, 48 examples in ", " after 4 of warm-up)\n", "\nmake ",
                           "\nconsumer ", "\nmake -> batch "}) {
    CHECK_MESSAGE(outcome.out.find(part) != std::string::npos, part);
  }
}

TEST_CASE("figures of few batches are of the same steps: no mean is above its maximum") {
  const TempFolder folder;
  const std::string file = folder.write("plain.yaml", kPlain);
  for (const char* batches : {"1", "2", "3", "5", "16"}) {
    const json report =
        report_of(penstock_command({"run", file, "--batches", batches, "--format", "json"}));
    for (const char* spread : {"wait_ms", "work_ms"}) {
      CHECK(report[spread]["mean"] > 0.0);
      CHECK(report[spread]["mean"] <= report[spread]["max"]);
      CHECK(report[spread]["p50"] <= report[spread]["p95"]);
      CHECK(report[spread]["p95"] <= report[spread]["max"]);
    }
  }
}

TEST_CASE("the JSON report adds up") {
  const TempFolder folder;
  const std::string file = folder.write("plain.yaml", kPlain);
  const json report = report_of(
      penstock_command({"run", file, "--epochs", "3", "--warmup", "0", "--format", "json"}));
  CHECK(report["status"] == "complete");
  CHECK(report["epochs"] == 3);
  CHECK(report["window"]["batches"] == 48);
  CHECK(report["window"]["examples"] == 192);
  CHECK(report["machine"]["tbb"].is_string());
  CHECK(report["verdict"]["limit"].is_string());
  CHECK(report["digest"].is_null());
  for (const json& node : report["nodes"]) {
    CHECK(sum_of(node["share"]) == doctest::Approx(1.0).epsilon(1e-9));
    double starved = 0, blocked = 0;
    for (const auto& [id, share] : node["starved_by"].items()) starved += share.get<double>();
    for (const auto& [id, share] : node["blocked_by"].items()) blocked += share.get<double>();
    if (!node["starved_by"].empty()) {
      CHECK(starved == doctest::Approx(node["share"]["starved"].get<double>()));
    }
    CHECK(blocked == doctest::Approx(node["share"]["blocked"].get<double>()));
  }
  for (const json& edge : report["edges"]) {
    const int64_t content = edge["content"]["end"].get<int64_t>();
    CHECK(edge["puts"].get<int64_t>() - edge["gets"].get<int64_t>() == content);
    CHECK(edge["fill_max"] <= edge["capacity"]);
  }
  CHECK(report["nodes"][1]["items_in"] == 192);
  CHECK(report["nodes"][1]["items_out"] == 48);
}

TEST_CASE("what operators count is in the report") {
  const TempFolder folder;
  std::filesystem::create_directories(folder / "pictures/one");
  for (const char* name : {"IMG-14_exif_1.jpg", "IMG-14_exif_3.jpg", "IMG-14_exif_6.jpg",
                           "IMG-14_exif_8.jpg", "IMG-16_truncated.jpg"}) {
    std::filesystem::copy_file(std::string(PENSTOCK_TEST_DATA "/cases/") + name,
                               folder / "pictures/one" / name);
  }
  const std::string file = folder.write("photos.yaml", photos((folder / "pictures").string()));
  std::vector<std::string> command = {"run",      file,
                                      "--epochs", "2",
                                      "--warmup", "0",
                                      "--set",    "nodes.decode.params.damaged=fill",
                                      "--set",    "nodes.decode.concurrency=2"};
  const Outcome text = penstock_command(command);
  CHECK(text.out.find("\ndecode: 6 oriented, 2 filled\n") != std::string::npos);
  command.insert(command.end(), {"--format", "json"});
  const json report = report_of(penstock_command(command));
  CHECK(report["nodes"][1]["tallies"] == json({{"oriented", 6}, {"filled", 2}}));
  CHECK_FALSE(report["nodes"][0].contains("tallies"));
}

TEST_CASE("batches, epochs and warm-up can be set") {
  const TempFolder folder;
  const std::string file = folder.write("plain.yaml", kPlain);
  const json by_batches =
      report_of(penstock_command({"run", file, "--batches", "21", "--format", "json"}));
  CHECK(by_batches["window"]["warmup_batches"] == 5);
  CHECK(by_batches["window"]["batches"] == 16);
  CHECK(by_batches["epochs"] == 2);
  const json by_warmup =
      report_of(penstock_command({"run", file, "--warmup", "3", "--format", "json"}));
  CHECK(by_warmup["window"]["batches"] == 13);
  const json too_long =
      report_of(penstock_command({"run", file, "--warmup", "16", "--format", "json"}));
  CHECK(too_long["window"]["batches"] == 16);
  CHECK(too_long["notes"][0] == "a warm-up of 16 leaves none of 16 batches: the start is included");
}

TEST_CASE("a digest is the same for any number of threads and for --workers 0") {
  const TempFolder folder;
  const std::string file = folder.write("photos.yaml", photos(PENSTOCK_TEST_DATA "/photos"));
  std::set<std::string> digests;
  const std::vector<std::vector<std::string>> ways = {{"--threads", "1"},
                                                      {"--threads", "4"},
                                                      {"--workers", "0"},
                                                      {"--set", "nodes.decode.concurrency=4"}};
  for (std::vector<std::string> way : ways) {
    way.insert(way.begin(), {"run", file, "--epochs", "2", "--digest", "--format", "json"});
    digests.insert(report_of(penstock_command(way))["digest"].get<std::string>());
  }
  CHECK(digests.size() == 1);
  CHECK(digests.begin()->rfind("xxh3:", 0) == 0);
  const json other = report_of(penstock_command(
      {"run", file, "--epochs", "2", "--digest", "--format", "json", "--set", "seed=4"}));
  CHECK(other["digest"] == *digests.begin());  // nothing random in it
}

TEST_CASE("--workers 0 says what it ignores") {
  const TempFolder folder;
  const std::string file = folder.write("plain.yaml", kPlain);
  const Outcome outcome =
      penstock_command({"run", file, "--workers", "0", "--set", "nodes.batch.queue.items=3"});
  CHECK(outcome.code == 0);
  CHECK(outcome.err.find("the file's concurrency (of 0 nodes) and queues (of 1 edges) are "
                         "ignored") != std::string::npos);
}

TEST_CASE("the consumer's work is a fixed, recorded number of iterations") {
  const TempFolder folder;
  const std::string file = folder.write("spin.yaml", kPlain + "consumer: {spin: 1ms}\n");
  const json report = report_of(penstock_command({"run", file, "--format", "json"}));
  CHECK(report["consumer"]["work"] == "spin");
  CHECK(report["consumer"]["target_ms"] == 1.0);
  CHECK(report["consumer"]["spin_iterations"].get<int64_t>() > 1000);
  CHECK(report["work_ms"]["reference"].get<double>() > 0);
  CHECK(report["work_ms"]["mean"].get<double>() > 0.2);
}

TEST_CASE("a signal stops the run and prints the partial report") {
  const TempFolder folder;
  const std::string file = folder.write("long.yaml", kPlain + "consumer: {sleep: 10ms}\n");
  for (const int signal : {SIGINT, SIGTERM}) {
    const Outcome outcome = penstock_command(
        {"run", file, "--batches", "100000", "--format", "json", "--verbosity", "verbose"},
        {.signals = {{signal, kFirst}}});
    CHECK(outcome.code == 130);
    const json report = json::parse(outcome.out);
    CHECK(report["status"] == "stopped");
    CHECK(report["window"]["batches"] > 0);
  }
}

TEST_CASE("a second signal ends at once") {
  const TempFolder folder;
  // A step that nothing can end: the first signal waits for it.
  const std::string file = folder.write("stuck.yaml", kPlain + "consumer: {spin: 100s}\n");
  const Outcome outcome = penstock_command({"run", file, "--verbosity", "verbose"},
                                           {.signals = {{SIGINT, kFirst}, {SIGINT, kStopping}}});
  CHECK(outcome.code == 130);
  CHECK(outcome.out.empty());
  CHECK(outcome.err == std::string(kFirst) + kStopping);
}

TEST_CASE("a low limit of open files is told before the run") {
  const TempFolder folder;
  const std::string file = folder.write("photos.yaml", photos(PENSTOCK_TEST_DATA "/photos"));
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit low{80, before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_NOFILE, &low) == 0);
  const Outcome outcome = penstock_command({"run", file, "--set", "nodes.read.concurrency=8"});
  REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK(outcome.code == 0);
  CHECK(outcome.err ==
        "warning: at most 80 open files are allowed, and 8 slots that wait for I/O may need 96: "
        "raise it with ulimit -n 96\n");
}

TEST_CASE("the locale changes no number") {
  const TempFolder folder;
  const std::string file = folder.write("plain.yaml", kPlain);
  for (const std::string locale : {"C", "tr_TR.UTF-8", "de_DE.UTF-8", "no_such"}) {
    const Outcome outcome =
        penstock_command({"run", file, "--format", "json"}, {.environment = {"LC_ALL=" + locale}});
    CHECK(report_of(outcome)["window"]["batches"] == 12);
  }
}

TEST_CASE("a full disk under stdout is an error") {
  const TempFolder folder;
  const Outcome outcome =
      penstock_command({"run", folder.write("plain.yaml", kPlain)}, {.stdout_path = "/dev/full"});
  CHECK(outcome.code == 1);
  CHECK(outcome.err == "error: cannot write the result: No space left on device\n");
}

TEST_CASE("a reader that goes away is no error") {
  const TempFolder folder;
  const std::string fifo = (folder / "fifo").string();
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  const int reader = open(fifo.c_str(), O_RDONLY | O_NONBLOCK);
  const Outcome outcome =
      penstock_command({"run", folder.write("plain.yaml", kPlain)},
                       {.stdout_path = fifo, .on_start = [&] { close(reader); }});
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
}

TEST_CASE("a trace has a track for each slot, without overlaps, and what the consumer did") {
  const TempFolder folder;
  const std::string file = folder.write("plain.yaml", kPlain);
  const std::string trace = (folder / "trace.json").string();
  const Outcome outcome = penstock_command({"run", file, "--trace", trace});
  CHECK(outcome.code == 0);
  CHECK(outcome.err == "note: the trace is in " + trace + "; ui.perfetto.dev opens it\n");
  std::ifstream stream(trace);
  const json events = json::parse(stream);
  std::map<int, std::string> processes;
  std::map<std::pair<int, int>, double> ends;
  std::map<std::string, int> bodies;
  int waits = 0, batches = 0, steps = 0;
  for (const json& event : events) {
    if (event["ph"] == "M") {
      if (event["name"] == "process_name") processes[event["pid"]] = event["args"]["name"];
      continue;
    }
    double& end = ends[{event["pid"], event["tid"]}];
    const double begin = event["ts"];
    CHECK(begin >= end - 0.001);  // printed to the nanosecond
    end = begin + event["dur"].get<double>();
    const std::string name = event["name"];
    bodies[name] += name == processes[event["pid"]] ? 1 : 0;
    batches += name == "data_wait" ? 1 : 0;
    steps += name == "work" ? 1 : 0;
    waits += name == "starved: make -> batch" ? 1 : 0;
  }
  CHECK(processes[0] == "consumer");
  CHECK(bodies["make"] == 64);
  CHECK(batches == 16);
  CHECK(steps == 16);
  CHECK(waits > 0);
}

TEST_CASE("a trace that meets a full disk costs the trace and not the report") {
  const TempFolder folder;
  const std::string file = folder.write("plain.yaml", kPlain);
  const Outcome outcome =
      penstock_command({"run", file, "--trace", "/dev/full", "--format", "json"});
  CHECK(outcome.code == 1);
  CHECK(outcome.err == "error: cannot write the trace to /dev/full: No space left on device\n");
  CHECK(json::parse(outcome.out)["status"] == "complete");
}

TEST_CASE("a trace that cannot be written ends before the run") {
  const TempFolder folder;
  const std::string file = folder.write("plain.yaml", kPlain);
  const Outcome outcome = penstock_command({"run", file, "--trace", "/no/such/folder/t.json"});
  CHECK(outcome.code == 1);
  CHECK(outcome.err ==
        "error: cannot write the trace to /no/such/folder/t.json: No such file or directory\n");
}
