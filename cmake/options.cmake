# Options, flags and output folders. Numbers must not depend on the machine that built them:
# no -march=native, no contraction of a*b+c.
include(GNUInstallDirs)

option(PENSTOCK_CLOCKS "Clocks on nodes and edges; OFF exists to measure what they cost" ON)
set(PENSTOCK_WITH_TORCH AUTO CACHE STRING "Build what needs libtorch: ON, OFF, AUTO (if found)")
set(PENSTOCK_WITH_CUDA AUTO CACHE STRING "Build what needs nvcc: ON, OFF, AUTO (if found)")
set(PENSTOCK_TESTS AUTO CACHE STRING "Build the tests: ON, OFF, AUTO (if doctest is found)")
set(PENSTOCK_SANITIZE "" CACHE STRING "Argument of -fsanitize: address,undefined or thread")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g")

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_RPATH "$ORIGIN;$ORIGIN/../lib;$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
list(REMOVE_DUPLICATES CMAKE_INSTALL_RPATH)

add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Werror;-Wno-missing-field-initializers;\
-ffp-contract=off;-fno-semantic-interposition>" "$<$<COMPILE_LANGUAGE:CUDA>:--fmad=false>")
add_link_options(-Wl,--as-needed)
if(NOT PENSTOCK_CLOCKS)
  add_compile_definitions(PENSTOCK_NO_CLOCKS=1)
endif()

if(PENSTOCK_SANITIZE)
  # -O1 and line numbers only: with -g a file takes three times as long. GCC gives false alarms of
  # the two kinds of warning in instrumented code; null is what the address sanitizer sees anyway,
  # and oneTBB's headers cast a task after its destructor ran (vptr).
  add_compile_options(-fsanitize=${PENSTOCK_SANITIZE} -fno-sanitize=vptr,null
    -fno-sanitize-recover=all -O1 -g1 -fno-omit-frame-pointer -Wno-tsan -Wno-maybe-uninitialized)
  add_link_options(-fsanitize=${PENSTOCK_SANITIZE})
else()
  add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,SHARED_LIBRARY>:-Wl,--no-undefined>)
endif()

find_program(PENSTOCK_CCACHE ccache)
if(PENSTOCK_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # A clone in another folder finds the objects of this one.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${PENSTOCK_CCACHE})
endif()
