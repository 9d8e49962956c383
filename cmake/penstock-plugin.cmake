# penstock_add_plugin(NAME SOURCE...): an operator library NAME.so. Nothing but its entry point is
# visible, and numbers do not depend on the machine that built it. Sources in C alone make a library
# of the C form, which is linked to nothing.
function(penstock_add_plugin name)
  add_library(${name} MODULE ${ARGN})
  set_target_properties(${name} PROPERTIES PREFIX "" POSITION_INDEPENDENT_CODE ON
    CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_compile_options(${name} PRIVATE -ffp-contract=off)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if("CXX" IN_LIST languages)
    target_link_libraries(${name} PRIVATE penstock::penstock)
  else()
    target_include_directories(${name} PRIVATE
      $<TARGET_PROPERTY:penstock::penstock,INTERFACE_INCLUDE_DIRECTORIES>)
  endif()
  target_link_options(${name} PRIVATE -Wl,--as-needed)
endfunction()

# penstock_add_plugin_test(NAME SOURCE... [ARGUMENTS ARGUMENT...]): the tests of operator library
# NAME: `unit`, a program of these sources and the library's own (where doctest is installed), and
# `conformance`, `penstock plugin check` with these arguments.
function(penstock_add_plugin_test name)
  cmake_parse_arguments(arg "" "" "ARGUMENTS" ${ARGN})
  find_package(doctest QUIET)
  if(NOT arg_UNPARSED_ARGUMENTS)
    # a library of the C form has no tests of this kind
  elseif(doctest_FOUND)
    get_target_property(library_sources ${name} SOURCES)
    get_target_property(libraries ${name} LINK_LIBRARIES)
    add_executable(${name}_test ${arg_UNPARSED_ARGUMENTS} ${library_sources})
    target_compile_features(${name}_test PRIVATE cxx_std_20)
    target_link_libraries(${name}_test PRIVATE penstock::testing doctest::doctest ${libraries})
    add_test(NAME unit COMMAND ${name}_test)
    set_tests_properties(unit PROPERTIES FIXTURES_SETUP unit)
  else()
    message(STATUS "doctest is not installed: the unit tests of ${name} are left out")
  endif()
  add_test(NAME conformance
    COMMAND penstock::cli plugin check $<TARGET_FILE:${name}> ${arg_ARGUMENTS})
  set_tests_properties(conformance PROPERTIES FIXTURES_REQUIRED unit)
endfunction()
