#include "plan/units.h"

#include <doctest/doctest.h>

namespace penstock {

TEST_CASE("durations carry a unit and come as nanoseconds") {
  CHECK(parse_duration_ns("8ms") == 8'000'000);
  CHECK(parse_duration_ns("1.5s") == 1'500'000'000);
  CHECK(parse_duration_ns("0.1us") == 100);
  CHECK(parse_duration_ns("2 min") == 120'000'000'000);
  CHECK(parse_duration_ns("0") == 0);
  CHECK(parse_duration_ns("0s") == 0);
  for (const char* bad : {"", "8", "ms", "-8ms", "8 m", "8Ms", "08ms", "8.ms", "1e3ms", "8ms ",
                          "9999999999999h", "1.0000000001s"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_duration_ns(bad));
  }
}

TEST_CASE("sizes carry a unit, of 1024 with an i and of 1000 without") {
  CHECK(parse_bytes("256MiB") == 268'435'456);
  CHECK(parse_bytes("2GB") == 2'000'000'000);
  CHECK(parse_bytes("1.5KiB") == 1536);
  CHECK(parse_bytes("64 kB") == 64'000);
  CHECK(parse_bytes("4096B") == 4096);
  CHECK(parse_bytes("0") == 0);
  for (const char* bad : {"", "64", "64M", "64mb", "-1B", "8388608TiB", "0x10B"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_bytes(bad));
  }
}

TEST_CASE("numbers are decimal and a leading zero is never octal") {
  CHECK(parse_int("-9223372036854775808") == INT64_MIN);
  CHECK(parse_int("9223372036854775807") == INT64_MAX);
  CHECK_FALSE(parse_int("9223372036854775808"));
  CHECK(parse_int("+5") == 5);
  for (const char* bad : {"", "-", "010", "0x10", "0o17", "1e3", "1_000", "1.0", " 1", "yes"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_int(bad));
  }
  CHECK(parse_uint("18446744073709551615") == UINT64_MAX);
  CHECK_FALSE(parse_uint("-1"));
  CHECK(has_leading_zero("010"));
  CHECK(has_leading_zero("-007"));
  CHECK_FALSE(has_leading_zero("0"));
  CHECK_FALSE(has_leading_zero("0.5"));
}

TEST_CASE("fractions are finite decimal numbers") {
  CHECK(parse_float("0.001") == 0.001);
  CHECK(parse_float("-1e-3") == -0.001);
  CHECK(parse_float("+2") == 2.0);
  CHECK(parse_float(".5") == 0.5);
  for (const char* bad : {"", "nan", ".nan", "inf", "0x1p3", "01.5", "1e999", "1,5", "+-1", "."}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_float(bad));
  }
}

TEST_CASE("the written form is exact and reads back") {
  CHECK(format_duration_ns(8'000'000) == "8ms");
  CHECK(format_duration_ns(90'000'000'000) == "90s");
  CHECK(format_bytes(268'435'456) == "256MiB");
  CHECK(format_bytes(1'000'000) == "1MB");
  for (const int64_t value : {int64_t{0}, int64_t{1}, int64_t{1023}, int64_t{1} << 40, INT64_MAX}) {
    CHECK(parse_bytes(format_bytes(value)) == value);
    CHECK(parse_duration_ns(format_duration_ns(value)) == value);
  }
}

}  // namespace penstock
