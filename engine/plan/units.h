#pragma once
/// Numbers as users write them: whole numbers, durations and sizes with units. Pure functions, any
/// thread; nothing when the text is not of that form or does not fit.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace penstock {

/// "8ms" -> 8,000,000. Units: ns, us, ms, s, min, h; a fraction is allowed ("1.5s"), a blank before
/// the unit too; "0" needs no unit. Nanoseconds, never negative, rounded to the nearest.
std::optional<int64_t> parse_duration_ns(std::string_view text);

/// "256MiB" -> 268,435,456. Units: B, KiB, MiB, GiB, TiB (powers of 1024), kB or KB, MB, GB, TB
/// (powers of 1000); otherwise as parse_duration_ns().
std::optional<int64_t> parse_bytes(std::string_view text);

/// Decimal digits with an optional sign. "010", "0x10", "1e3" and "1_000" are no whole numbers: a
/// leading zero means 8 to some readers and 10 to others (see has_leading_zero()).
std::optional<int64_t> parse_int(std::string_view text);
/// The same for 0 to 2^64 - 1.
std::optional<uint64_t> parse_uint(std::string_view text);
/// A finite decimal number: "1", "0.001", "1e-3", "-2.5". Not "nan", "inf", "0x1p3" or "01".
std::optional<double> parse_float(std::string_view text);
/// True of "010" and "-007": digits that would be a number but for zeros in front.
bool has_leading_zero(std::string_view text);

/// The shortest exact form that parse_duration_ns() reads: 8000000 -> "8ms".
std::string format_duration_ns(int64_t ns);
/// The shortest exact form that parse_bytes() reads: 268435456 -> "256MiB".
std::string format_bytes(int64_t bytes);

}  // namespace penstock
