#include "plugin/note.h"

#include <doctest/doctest.h>
#include <elf.h>
#include <sys/stat.h>

#include <cstddef>
#include <cstring>

#include "penstock/plugin.h"
#include "penstock/random.h"
#include "support/plugin_library.h"

namespace penstock {
namespace {

using namespace penstock::testing;

std::string reason_of(const Scratch& scratch, const std::string& bytes) {
  PluginFacts facts;
  return read_note(scratch.write("changed.so", bytes), &facts);
}

template <typename T>
std::string with_value(std::string bytes, size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
  return bytes;
}

TEST_CASE("a note gives what the macro was told, and what the compiler knows") {
  const Scratch scratch;
  PluginFacts facts;
  CHECK(read_note(scratch.library("good", plugin_code("good", "")), &facts) == "");
  CHECK(facts.form == "c++");
  CHECK(facts.abi_major == kPluginAbiMajor);
  CHECK(facts.abi_minor == kPluginAbiMinor);
  CHECK(facts.name == "good");
  CHECK(facts.version == "1.2");
  CHECK(facts.penstock == kVersion);
  CHECK(facts.torch == "");
  CHECK(facts.compiler == PENSTOCK_COMPILER);
  CHECK(facts.standard_library == PENSTOCK_STANDARD_LIBRARY);
  CHECK(facts.author == "tests");
  CHECK(facts.licence == "none");
}

TEST_CASE("files that are no library, or one of another machine, are told apart") {
  const Scratch scratch;
  const std::string good = bytes_of_file(scratch.library("good", plugin_code("good", "")));
  const std::string no_elf = "it is no shared library: it does not begin as an ELF file does";
  CHECK(reason_of(scratch, "") == no_elf);
  CHECK(reason_of(scratch, "hello\n") == no_elf);
  CHECK(reason_of(scratch, with_value(good, offsetof(Elf64_Ehdr, e_machine), uint16_t{EM_RISCV}))
            .starts_with("it was built for riscv, this machine is "));
  CHECK(reason_of(scratch, with_value(good, EI_CLASS, uint8_t{ELFCLASS32}))
            .find("(32 bits), this machine is ") != std::string::npos);
  CHECK(reason_of(scratch, with_value(good, offsetof(Elf64_Ehdr, e_type), uint16_t{ET_REL})) ==
        "it is no shared library: link it with -shared");
  PluginFacts facts;
  CHECK(read_note(scratch.path(), &facts) == "it is no regular file");
  const std::string pipe = scratch.file("pipe.so");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(read_note(pipe, &facts) == "it is no regular file");
}

TEST_CASE("a file that is cut off anywhere is refused, and says so") {
  const Scratch scratch;
  const std::string good = bytes_of_file(scratch.library("good", plugin_code("good", "")));
  for (size_t size = 0; size < good.size(); size += 1 + size / 16) {
    CAPTURE(size);
    const std::string reason = reason_of(scratch, good.substr(0, size));
    CHECK(reason != "");
    if (size >= SELFMAG) CHECK(reason.starts_with("it is cut off: its headers speak"));
  }
  CHECK(reason_of(scratch, good.substr(0, good.size() - 1)) ==
        "it is cut off: its headers speak of at least " + std::to_string(good.size()) +
            " bytes, the file has " + std::to_string(good.size() - 1));
}

TEST_CASE("no number in the file is believed") {
  const Scratch scratch;
  const std::string good = bytes_of_file(scratch.library("good", plugin_code("good", "")));
  const uint64_t far = UINT64_MAX - 7;
  CHECK(reason_of(scratch, with_value(good, offsetof(Elf64_Ehdr, e_phoff), far))
            .starts_with("it is cut off: its headers speak of far more bytes"));
  CHECK(reason_of(scratch, with_value(good, offsetof(Elf64_Ehdr, e_shoff), far)) != "");
  CHECK(reason_of(scratch, with_value(good, offsetof(Elf64_Ehdr, e_phnum), uint16_t{65535})) ==
        "it is no shared library: its program headers make no sense");
  // The note's own sizes: none of these may read beyond it.
  const size_t content = good.find("form=c++");
  for (const size_t field : {content - 24, content - 20}) {
    for (const uint32_t size : {0U, 1U, 0x7fffffffU, 0xffffffffU}) {
      static_cast<void>(reason_of(scratch, with_value(good, field, size)));
    }
  }
  // Any bytes of the headers and notes may be anything.
  Rng random(7, Origin{}, 7);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes = good.substr(0, 4096);
    bytes.resize(good.size());
    for (int changes = 0; changes < 4; ++changes) {
      bytes[random.below(1024)] = static_cast<char>(random.below(256));
    }
    static_cast<void>(reason_of(scratch, bytes));
  }
}

}  // namespace
}  // namespace penstock
