#include "plugin/note.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "penstock/note.h"

namespace penstock {
namespace {

constexpr size_t kMaxHeaders = 512;
constexpr size_t kMaxNotes = 1 << 20;
constexpr std::string_view kOwner("penstock\0", 9);
constexpr uint32_t kType = 1;

#if defined(__x86_64__)
constexpr uint16_t kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr uint16_t kMachine = EM_AARCH64;
#else
constexpr uint16_t kMachine = EM_NONE;
#endif

std::string machine_name(uint16_t machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_AARCH64:
      return "aarch64";
    case EM_386:
      return "i386";
    case EM_RISCV:
      return "riscv";
    default:
      return "machine " + std::to_string(machine);
  }
}

class File {
 public:
  explicit File(const std::string& path)
      : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~File() {
    if (file_ >= 0) close(file_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool is_open() const { return file_ >= 0; }
  /// Size of a regular file, else nothing.
  std::optional<uint64_t> size() const {
    struct stat facts {};
    if (fstat(file_, &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
    return static_cast<uint64_t>(facts.st_size);
  }
  bool read(uint64_t offset, void* data, size_t bytes) const {
    auto* to = static_cast<char*>(data);
    while (bytes > 0) {
      const ssize_t n = pread(file_, to, bytes, static_cast<off_t>(offset));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      to += n, offset += static_cast<uint64_t>(n), bytes -= static_cast<size_t>(n);
    }
    return true;
  }

 private:
  int file_;
};

/// The end of offset + bytes; the largest number where that overflows.
uint64_t end_of(uint64_t offset, uint64_t bytes) {
  uint64_t end = 0;
  return __builtin_add_overflow(offset, bytes, &end) ? UINT64_MAX : end;
}

std::string cut_off(uint64_t needed, uint64_t size) {
  return "it is cut off: its headers speak of " +
         (needed == UINT64_MAX ? "far more" : "at least " + std::to_string(needed)) +
         " bytes, the file has " + std::to_string(size);
}

std::string check_header(const Elf64_Ehdr& header, uint64_t file_size) {
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    return "it is no shared library: it does not begin as an ELF file does";
  }
  if (file_size < sizeof header) return cut_off(sizeof header, file_size);
  constexpr auto kEndian = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != kEndian ||
      header.e_machine != kMachine) {
    return "it was built for " + machine_name(header.e_machine) +
           (header.e_ident[EI_CLASS] == ELFCLASS64 ? "" : " (32 bits)") + ", this machine is " +
           machine_name(kMachine) + ": build it again here";
  }
  if (header.e_type != ET_DYN) return "it is no shared library: link it with -shared";
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum == 0 ||
      header.e_phnum > kMaxHeaders) {
    return "it is no shared library: its program headers make no sense";
  }
  return "";
}

uint64_t padded(uint64_t bytes, uint64_t align) { return (bytes + align - 1) / align * align; }

/// The content of our note among those in `notes`, or nothing.
std::optional<std::string> find_note(const std::string& notes, uint64_t align) {
  constexpr size_t kHead = sizeof(Elf64_Nhdr);
  for (uint64_t at = 0; at + kHead <= notes.size();) {
    Elf64_Nhdr head;
    std::memcpy(&head, notes.data() + at, kHead);
    const uint64_t content = at + kHead + padded(head.n_namesz, 4);
    const uint64_t end = content + head.n_descsz;  // 32-bit sizes: no overflow
    if (end > notes.size()) return std::nullopt;
    if (head.n_type == kType && head.n_namesz == kOwner.size() &&
        std::string_view(notes).substr(at + kHead, kOwner.size()) == kOwner) {
      return notes.substr(content, head.n_descsz);
    }
    at = padded(end, align);
  }
  return std::nullopt;
}

/// "1.0"; what is not of this form is version 0.0, which no engine has.
void take_abi(std::string_view text, PluginFacts* facts) {
  const char* end = text.data() + text.size();
  uint32_t major = 0, minor = 0;
  const auto [dot, no_major] = std::from_chars(text.data(), end, major);
  if (no_major != std::errc() || dot == end || *dot != '.') return;
  const auto [rest, no_minor] = std::from_chars(dot + 1, end, minor);
  if (no_minor != std::errc() || rest != end) return;
  facts->abi_major = major;
  facts->abi_minor = minor;
}

void take_line(std::string_view line, PluginFacts* facts) {
  const size_t equals = line.find('=');
  if (equals == std::string_view::npos) return;
  const std::string_view key = line.substr(0, equals);
  const std::string value(line.substr(equals + 1));
  if (key == "abi") return take_abi(value, facts);
  const std::pair<std::string_view, std::string*> places[] = {
      {"form", &facts->form},       {"name", &facts->name},
      {"version", &facts->version}, {"penstock", &facts->penstock},
      {"torch", &facts->torch},     {"compiler", &facts->compiler},
      {"author", &facts->author},   {"standard_library", &facts->standard_library},
      {"licence", &facts->licence}, {"sanitizer", &facts->sanitizer},
  };
  for (const auto& [name, place] : places) {
    if (key == name) *place = value;
  }
}

void take_content(std::string_view content, PluginFacts* facts) {
  content = content.substr(0, content.find('\0'));
  while (!content.empty()) {
    const size_t end = std::min(content.find('\n'), content.size());
    take_line(content.substr(0, end), facts);
    content.remove_prefix(std::min(end + 1, content.size()));
  }
}

}  // namespace

std::string read_note(const std::string& path, PluginFacts* facts) {
  *facts = {};
  const File file(path);
  if (!file.is_open()) return std::string("it cannot be opened: ") + std::strerror(errno);
  const std::optional<uint64_t> size = file.size();
  if (!size) return "it is no regular file";
  Elf64_Ehdr header{};
  file.read(0, &header, std::min<uint64_t>(*size, sizeof header));
  if (std::string reason = check_header(header, *size); !reason.empty()) return reason;
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  const size_t bytes = segments.size() * sizeof(Elf64_Phdr);
  uint64_t needed =
      std::max(end_of(header.e_phoff, bytes),
               end_of(header.e_shoff, static_cast<uint64_t>(header.e_shnum) * header.e_shentsize));
  if (needed > *size) return cut_off(needed, *size);
  if (!file.read(header.e_phoff, segments.data(), bytes)) return cut_off(needed, *size);
  for (const Elf64_Phdr& segment : segments) {
    needed = std::max(needed, end_of(segment.p_offset, segment.p_filesz));
  }
  if (needed > *size) return cut_off(needed, *size);
  size_t left = kMaxNotes;
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type != PT_NOTE || segment.p_filesz > left) continue;
    left -= segment.p_filesz;
    std::string notes(segment.p_filesz, '\0');
    if (!file.read(segment.p_offset, notes.data(), notes.size())) return cut_off(needed, *size);
    if (const auto content = find_note(notes, segment.p_align == 8 ? 8 : 4)) {
      take_content(*content, facts);
      return "";
    }
  }
  return "it is no operator library: it has no note .note.penstock (PENSTOCK_PLUGIN writes one)";
}

}  // namespace penstock
