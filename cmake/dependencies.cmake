# Libraries, all of them Debian's except libtorch; cmake/dependencies.txt says why each is there.
find_package(Threads REQUIRED)
find_package(TBB REQUIRED CONFIG)
find_package(yaml-cpp REQUIRED CONFIG)
find_package(nlohmann_json REQUIRED CONFIG)
find_package(fmt REQUIRED CONFIG)
find_package(CLI11 REQUIRED CONFIG)
find_package(JPEG REQUIRED)
find_package(PNG REQUIRED)

find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
find_library(XXHASH_LIBRARY xxhash REQUIRED)
add_library(xxhash::xxhash UNKNOWN IMPORTED)
set_target_properties(xxhash::xxhash PROPERTIES IMPORTED_LOCATION ${XXHASH_LIBRARY})

if(PENSTOCK_SANITIZE STREQUAL thread)
  if(NOT TBB_DIR MATCHES "tbb-tsan")
    message(FATAL_ERROR "the thread sanitizer needs an instrumented oneTBB (the distribution's "
      "gives false alarms): run cmake/build_tbb_tsan.sh, or ./dev build --preset tsan")
  endif()
  get_target_property(location TBB::tbb IMPORTED_LOCATION_RELWITHDEBINFO)
  get_filename_component(location ${location} DIRECTORY)
  add_link_options(-Wl,-rpath,${location})
endif()

if(NOT PENSTOCK_WITH_TORCH STREQUAL OFF)
  find_package(TorchLib QUIET)
  if(NOT TorchLib_FOUND AND NOT PENSTOCK_WITH_TORCH STREQUAL AUTO)
    message(FATAL_ERROR "PENSTOCK_WITH_TORCH is on and no libtorch was found: ./dev test installs "
      "it into .venv, or set PENSTOCK_TORCH_ROOT to the folder of the Python package torch")
  endif()
endif()

if(NOT PENSTOCK_TESTS STREQUAL OFF)
  find_package(doctest QUIET CONFIG)
  if(NOT doctest_FOUND AND NOT PENSTOCK_TESTS STREQUAL AUTO)
    message(FATAL_ERROR "PENSTOCK_TESTS is on and doctest was not found: ./dev test installs it")
  endif()
endif()
