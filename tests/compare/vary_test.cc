#include "compare/vary.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "compare/bad_request.h"

namespace penstock {
namespace {

using Words = std::vector<std::string>;

Words values_of(const std::string& text) { return parse_vary("key=" + text).values; }

std::string complaint(const std::string& text) {
  try {
    parse_vary(text);
  } catch (const BadRequest& bad) {
    return bad.what();
  }
  return "";
}

/// "serial 8 -, 8 1, ...": rows in short.
std::string rows_text(const std::vector<Vary>& keys) {
  std::string text;
  for (const SweepRow& row : sweep_rows(keys)) {
    if (!text.empty()) text += ", ";
    if (row.serial) text += "serial ";
    for (size_t i = 0; i < row.values.size(); ++i) {
      text += (i == 0 ? "" : " ") + row.values[i].value_or("-");
    }
  }
  return text;
}

TEST_CASE("values are listed, counted up, or multiplied up") {
  CHECK(parse_vary("nodes.decode.concurrency=1,2").key == "nodes.decode.concurrency");
  CHECK(values_of("1,2,4,8") == Words{"1", "2", "4", "8"});
  CHECK(values_of("1..4") == Words{"1", "2", "3", "4"});
  CHECK(values_of("10..50:10") == Words{"10", "20", "30", "40", "50"});
  CHECK(values_of("10..45:10") == Words{"10", "20", "30", "40"});
  CHECK(values_of("1..16:*2") == Words{"1", "2", "4", "8", "16"});
  CHECK(values_of("3,5..6,9") == Words{"3", "5", "6", "9"});
  CHECK(values_of("0..0.3:0.1") == Words{"0", "0.1", "0.2", "0.3"});
  CHECK(values_of("1..8ms:*2") == Words{"1ms", "2ms", "4ms", "8ms"});
  CHECK(values_of("1MiB..3MiB:1MiB") == Words{"1MiB", "2MiB", "3MiB"});
  CHECK(values_of("7..7") == Words{"7"});
  CHECK(values_of("-3..-1") == Words{"-3", "-2", "-1"});
  CHECK(values_of("-1..-1") == Words{"-1"});
  CHECK(values_of("-0.3..0:0.1") == Words{"-0.3", "-0.2", "-0.1", "0"});
  CHECK(values_of("1, 2 ,4") == Words{"1", "2", "4"});
}

TEST_CASE("whole numbers are counted exactly, however large") {
  CHECK(values_of("9007199254740992..9007199254740995") ==
        Words{"9007199254740992", "9007199254740993", "9007199254740994", "9007199254740995"});
  CHECK(values_of("18446744073709551614..18446744073709551615") ==
        Words{"18446744073709551614", "18446744073709551615"});
  CHECK(values_of("6000000000000000000..18446744073709551615:*3") ==
        Words{"6000000000000000000", "18000000000000000000"});
  CHECK_THROWS_WITH_AS(parse_vary("seed=1..18446744073709551616"),
                       "'18446744073709551616' is no range: it is more than 2^64 - 1", BadRequest);
}

TEST_CASE("commas within brackets and quotes, and dots of a path, part nothing") {
  CHECK(values_of("[224,224],[256, 256]") == Words{"[224,224]", "[256, 256]"});
  CHECK(values_of("\"a,b\",c") == Words{"\"a,b\"", "c"});
  CHECK(values_of("../a,../../b") == Words{"../a", "../../b"});
  CHECK(values_of("auto,4") == Words{"auto", "4"});
}

TEST_CASE("what is no list of values says why") {
  struct Case {
    const char* text;
    const char* message;
  };
  const std::vector<Case> cases = {
      {"nodes.decode.concurrency",
       "--vary nodes.decode.concurrency: a key, '=' and values are due"},
      {"=3", "--vary =3: a key, '=' and values are due"},
      {"key=", "--vary key=: a value is missing"},
      {"key=1,,2", "--vary key=1,,2: a value is missing"},
      {"key=8..1", "'8..1' is no range: it must go upwards"},
      {"key=1..x1", "'1..x1' is no range: its end is no number"},
      {"key=1ms..2s", "'1ms..2s' is no range: its ends differ in unit"},
      {"key=1..8:0", "'1..8:0' is no range: its steps do not go upwards"},
      {"key=1..8:-1", "'1..8:-1' is no range: its steps do not go upwards"},
      {"key=1..8:*1", "'1..8:*1' is no range: its steps do not go upwards"},
      {"key=0..8:*2", "'0..8:*2' is no range: its steps do not go upwards"},
      {"key=1..8:", "'1..8:' is no range: its step is no number"},
      {"key=1..8:2ms", "'1..8:2ms' is no range: its step has another unit"},
      {"key=1..1000000000", "257 values or runs are too many (256 at most)"},
  };
  for (const Case& each : cases) CHECK(complaint(each.text) == each.message);
}

TEST_CASE("settings say how work is done, other keys what work") {
  for (const char* key : {"nodes.decode.concurrency", "threads", "memory", "nodes.a.queue.items",
                          "nodes.a.queue", "nodes.a.order", "consumer.queue.items"}) {
    CHECK_MESSAGE(is_setting(key), key);
  }
  for (const char* key : {"seed", "consumer.spin", "nodes.batch.params.batch_size",
                          "nodes.make.params.items", "nodes.a.op"}) {
    CHECK_MESSAGE(!is_setting(key), key);
  }
}

TEST_CASE("values are numbers in their unit's base") {
  CHECK(number_of("8") == 8);
  CHECK(number_of("8ms") == 8e6);
  CHECK(number_of("2KiB") == 2048);
  CHECK(number_of("0.5") == 0.5);
  CHECK(!number_of("auto"));
  CHECK(!number_of("[1, 2]"));
}

TEST_CASE("each work begins with a serial run, then come all settings") {
  const Vary slots{"nodes.decode.concurrency", {"1", "2"}};
  const Vary threads{"threads", {"3", "4"}};
  const Vary size{"nodes.batch.params.batch_size", {"8", "16"}};
  CHECK(rows_text({slots}) == "serial -, 1, 2");
  CHECK(rows_text({slots, threads}) == "serial - -, 1 3, 1 4, 2 3, 2 4");
  CHECK(rows_text({size}) == "serial 8, 8, serial 16, 16");
  CHECK(rows_text({slots, size}) == "serial - 8, 1 8, 2 8, serial - 16, 1 16, 2 16");
  CHECK(sweep_rows({slots, size})[1].sets({slots, size}) ==
        Words{"nodes.decode.concurrency=1", "nodes.batch.params.batch_size=8"});
  CHECK(sweep_rows({slots})[0].sets({slots}).empty());
}

TEST_CASE("a key that comes twice and too many runs are mistakes") {
  const Vary slots{"nodes.decode.concurrency", {"1", "2"}};
  CHECK_THROWS_AS(sweep_rows({slots, slots}), BadRequest);
  const Vary many = parse_vary("threads=1..100");
  CHECK_THROWS_AS(sweep_rows({many, parse_vary("memory=1..3")}), BadRequest);
  CHECK(sweep_rows({many, slots}).size() == 201);
}

}  // namespace
}  // namespace penstock
