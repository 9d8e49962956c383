#pragma once
/// Reads the facts about an operator library out of its file, without running anything of it. The
/// file is not trusted: every number in it is checked against its size first.

#include <cstdint>
#include <string>

namespace penstock {

/// What the note of a library says (penstock/note.h). Texts that are not there are empty.
struct PluginFacts {
  std::string form;  ///< "c++" or "c": which entry point
  uint32_t abi_major = 0, abi_minor = 0;
  std::string name, version;
  std::string penstock;  ///< version that it was built against
  std::string torch;     ///< empty: it does not use libtorch
  std::string compiler, standard_library;
  std::string sanitizer;  ///< "thread", "address" or empty
  std::string author, licence;
};

/// Fills `facts`, or says why it cannot: no regular file, no ELF, of another machine, cut off,
/// without a note. Reads headers and notes only, at most 1 MiB. Any thread.
std::string read_note(const std::string& path, PluginFacts* facts);

/// How the reasons begin for files that are something else than an operator library; the others are
/// for libraries that cannot be used.
inline constexpr const char* kSomethingElse = "it is no ";

}  // namespace penstock
