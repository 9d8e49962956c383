# Each folder tests/<room> with *_test.cc files is one doctest binary test_<room> and one ctest
# entry with the label <room>. tests/torch is built where libtorch is found.
enable_testing()
if(PENSTOCK_SANITIZE)
  set(test_timeout 1800)
else()
  set(test_timeout 600)
endif()
set(lsan_options
  "LSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/support/lsan.txt:print_suppressions=0")
set(test_launcher)
if(PENSTOCK_SANITIZE STREQUAL thread)
  set(test_launcher setarch -R)  # its shadow memory needs fixed addresses
endif()

if(doctest_FOUND AND TARGET penstock)
  file(GLOB support_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/support/*.cc)
  file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/tests
    ${CMAKE_SOURCE_DIR}/tests/*.cc)

  add_library(penstock_test_support STATIC ${support_sources})
  target_include_directories(penstock_test_support PUBLIC
    ${CMAKE_SOURCE_DIR}/operators ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(penstock_test_support PUBLIC
    penstock_testing penstock penstock_private doctest::doctest JPEG::JPEG PNG::PNG)
  if(TARGET penstock_operators)
    target_link_libraries(penstock_test_support PUBLIC penstock_operators)
  endif()
  if(PENSTOCK_SANITIZE)
    target_compile_options(penstock_test_support PUBLIC -O0)  # a third of the time to build them
  endif()
  target_compile_definitions(penstock_test_support PUBLIC
    PENSTOCK_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
    PENSTOCK_BINARY_DIR="${CMAKE_BINARY_DIR}"
    PENSTOCK_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")

  set(rooms ${test_sources})
  list(FILTER rooms INCLUDE REGEX "^[^/]+/.*_test\\.cc$")
  list(TRANSFORM rooms REPLACE "/.*" "")
  list(REMOVE_DUPLICATES rooms)
  if(NOT TorchLib_FOUND)
    list(REMOVE_ITEM rooms torch "")
  endif()
  foreach(room IN LISTS rooms)
    set(sources ${test_sources})
    list(FILTER sources INCLUDE REGEX "^${room}/")
    list(TRANSFORM sources PREPEND ${CMAKE_SOURCE_DIR}/tests/)
    add_executable(test_${room} ${sources})
    target_link_libraries(test_${room} PRIVATE penstock_test_support)
    add_test(NAME ${room} COMMAND ${test_launcher} $<TARGET_FILE:test_${room}>
      WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(${room} PROPERTIES LABELS ${room} TIMEOUT ${test_timeout}
      ENVIRONMENT "UBSAN_OPTIONS=print_stacktrace=1;TSAN_OPTIONS=halt_on_error=1;${lsan_options}")
  endforeach()
  # In the executable LeakSanitizer's own tracer crashes now and then (signal 11 while it reads the
  # thread-local storage of libraries opened at run time). Leaks are looked for in the other rooms.
  if(TARGET test_cli)
    set_property(TEST cli APPEND PROPERTY ENVIRONMENT "ASAN_OPTIONS=detect_leaks=0")
  endif()
  if(TARGET test_attribution)
    target_link_libraries(test_attribution PRIVATE penstock_bench_parts)
  endif()
  if(TARGET test_torch)
    target_link_libraries(test_torch PRIVATE TorchLib::cpu)
  endif()
endif()

# Each example of the docs is compiled, and must run to its end in the folder of the sources.
file(GLOB examples CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/examples/*.cc)
if(TorchLib_FOUND AND TARGET penstock AND NOT PENSTOCK_TESTS STREQUAL OFF)
  foreach(source IN LISTS examples)
    get_filename_component(name ${source} NAME_WE)
    add_executable(example_${name} ${source})
    target_link_libraries(example_${name} PRIVATE penstock TorchLib::cpu)
    add_test(NAME example_${name} COMMAND example_${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(example_${name} PROPERTIES LABELS examples TIMEOUT ${test_timeout})
  endforeach()
endif()

find_program(PENSTOCK_PYTHON python3)
if(PENSTOCK_PYTHON AND TARGET example_train)
  add_test(NAME profile COMMAND ${PENSTOCK_PYTHON} -B
    ${CMAKE_SOURCE_DIR}/tests/device/profile_check.py $<TARGET_FILE:example_train>
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(profile PROPERTIES LABELS examples TIMEOUT ${test_timeout})
endif()

# The direction of includes and the length of files.
if(PENSTOCK_PYTHON AND NOT PENSTOCK_TESTS STREQUAL OFF)
  add_test(NAME structure
    COMMAND ${PENSTOCK_PYTHON} -B ${CMAKE_SOURCE_DIR}/tests/structure/structure_test.py)
  set_tests_properties(structure PROPERTIES LABELS structure TIMEOUT ${test_timeout})
endif()

# The JSON Schema, by a validator of others.
if(PENSTOCK_PYTHON AND TARGET penstock_cli AND NOT PENSTOCK_TESTS STREQUAL OFF AND NOT PENSTOCK_SANITIZE)
  execute_process(COMMAND ${PENSTOCK_PYTHON} -c "import jsonschema, yaml"
    RESULT_VARIABLE no_validator OUTPUT_QUIET ERROR_QUIET)
  if(no_validator)
    message(STATUS "python3-jsonschema or python3-yaml is not installed: the test `schema` is left out")
  else()
    add_test(NAME schema COMMAND ${PENSTOCK_PYTHON} -B ${CMAKE_SOURCE_DIR}/tests/cli/schema_check.py
      $<TARGET_FILE:penstock_cli> ${CMAKE_SOURCE_DIR})
    set_tests_properties(schema PROPERTIES LABELS cli TIMEOUT ${test_timeout})
  endif()
endif()

# The C interface, used by a program that knows nothing of C++.
if(PENSTOCK_PYTHON AND TARGET penstock AND NOT PENSTOCK_TESTS STREQUAL OFF AND NOT PENSTOCK_SANITIZE)
  add_test(NAME ctypes COMMAND ${PENSTOCK_PYTHON} -B ${CMAKE_SOURCE_DIR}/tests/api/ctypes_loop.py
    $<TARGET_FILE:penstock> ${CMAKE_SOURCE_DIR}/tests/api/ctypes_loop.yaml)
  set_tests_properties(ctypes PROPERTIES LABELS api TIMEOUT ${test_timeout})
endif()

# The installed package, used by programs and operator libraries outside the tree.
set(torch_root)
if(TorchLib_FOUND)
  set(torch_root ${TorchLib_ROOT})
endif()
if(PENSTOCK_PYTHON AND TARGET penstock AND NOT PENSTOCK_TESTS STREQUAL OFF AND NOT PENSTOCK_SANITIZE)
  add_test(NAME package COMMAND ${CMAKE_COMMAND} -DBINARY=${CMAKE_BINARY_DIR}
    -DSOURCE=${CMAKE_SOURCE_DIR} -DPYTHON=${PENSTOCK_PYTHON}
    -DLIBDIR=${CMAKE_INSTALL_LIBDIR} -DTORCH=${torch_root} -P ${CMAKE_SOURCE_DIR}/tests/package/run.cmake)
  set_tests_properties(package PROPERTIES LABELS package TIMEOUT ${test_timeout})
endif()
