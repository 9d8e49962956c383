#pragma once
/// Facts about a library that stand in its file as an ELF note (section .note.penstock, owner
/// "penstock", type 1), so that they can be read before any of its code runs. C and C++. Authors
/// use PENSTOCK_PLUGIN, which writes the note too.
///
/// The note is text: a line "key=value" for each fact, and a zero byte at the end. Readers pass
/// over keys that they do not know; keys are only added.

#include <stdint.h>
#ifdef __cplusplus
#include <version>
#endif

#define PENSTOCK_VERSION "0.1.0"

#define PENSTOCK_TEXT_OF(x) #x
#define PENSTOCK_TEXT(x) PENSTOCK_TEXT_OF(x)

#if defined(__clang__)
#define PENSTOCK_COMPILER "clang " __clang_version__
#else
#define PENSTOCK_COMPILER "gcc " __VERSION__
#endif

/* Only what decides whether objects of the library's types may cross: family and string layout. */
#if defined(_LIBCPP_VERSION)
#define PENSTOCK_STANDARD_LIBRARY "libc++ " PENSTOCK_TEXT(_LIBCPP_ABI_VERSION)
#elif defined(_GLIBCXX_USE_CXX11_ABI)
#define PENSTOCK_STANDARD_LIBRARY "libstdc++ cxx11=" PENSTOCK_TEXT(_GLIBCXX_USE_CXX11_ABI)
#else
#define PENSTOCK_STANDARD_LIBRARY ""
#endif

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PENSTOCK_SANITIZER "thread"
#elif __has_feature(address_sanitizer)
#define PENSTOCK_SANITIZER "address"
#endif
#elif defined(__SANITIZE_THREAD__)
#define PENSTOCK_SANITIZER "thread"
#elif defined(__SANITIZE_ADDRESS__)
#define PENSTOCK_SANITIZER "address"
#endif
#ifndef PENSTOCK_SANITIZER
#define PENSTOCK_SANITIZER ""
#endif

/* The targets penstock::torch and TorchLib::cpu define it. */
#ifndef PENSTOCK_TORCH_VERSION
#define PENSTOCK_TORCH_VERSION ""
#endif

/// Writes the note. All arguments are string literals.
#define PENSTOCK_NOTE(FORM, ABI, NAME, LIBRARY_VERSION, AUTHOR, LICENCE)              \
  PENSTOCK_NOTE_OF_TEXT(                                                              \
      "form=" FORM "\nabi=" ABI "\nname=" NAME "\nversion=" LIBRARY_VERSION           \
      "\npenstock=" PENSTOCK_VERSION "\ntorch=" PENSTOCK_TORCH_VERSION                \
      "\ncompiler=" PENSTOCK_COMPILER "\nstandard_library=" PENSTOCK_STANDARD_LIBRARY \
      "\nsanitizer=" PENSTOCK_SANITIZER "\nauthor=" AUTHOR "\nlicence=" LICENCE "\n")

#define PENSTOCK_NOTE_OF_TEXT(CONTENT)                                             \
  static const struct {                                                            \
    uint32_t owner_size, content_size, type;                                       \
    char owner[12];                                                                \
    char content[sizeof(CONTENT)];                                                 \
  } penstock_note __attribute__((section(".note.penstock"), used, aligned(4))) = { \
      9, sizeof(CONTENT), 1, "penstock", CONTENT}
