# Installs the build into a new folder, then builds and runs a consumer outside the tree against it,
# and builds the plugin projects of plugins/ the same way. Called by ctest with BINARY, SOURCE, PYTHON,
# LIBDIR (as CMAKE_INSTALL_LIBDIR) and TORCH (the folder of libtorch, or nothing).
set(work ${BINARY}/package-test)
file(REMOVE_RECURSE ${work})

function(call)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# build_project FOLDER NAME: copies, configures and builds it away from the tree.
function(build_project folder name)
  file(COPY ${folder}/ DESTINATION ${work}/${name})
  call(${CMAKE_COMMAND} -S ${work}/${name} -B ${work}/${name}/build -G Ninja
    -DCMAKE_PREFIX_PATH=${work}/prefix -DCMAKE_BUILD_TYPE=Release -DPENSTOCK_TORCH_ROOT=${TORCH})
  call(${CMAKE_COMMAND} --build ${work}/${name}/build)
endfunction()

call(${CMAKE_COMMAND} --install ${BINARY} --prefix ${work}/prefix)
file(GLOB_RECURSE leaks ${work}/prefix/*torch_cpu* ${work}/prefix/*tbb*)
if(leaks)
  message(FATAL_ERROR "the installed tree holds libraries of others: ${leaks}")
endif()

build_project(${SOURCE}/tests/package/consumer consumer)
call(${work}/consumer/build/consumer)
message("${output}")

# A newcomer's way, once for each kind: new, build, its own tests (which run it in a pipeline and
# check it), with nothing of the source tree in sight.
foreach(kind map source expand collate)
  string(TIMESTAMP begin %s)
  execute_process(COMMAND ${work}/prefix/bin/penstock plugin new my_${kind} --kind ${kind}
    WORKING_DIRECTORY ${work} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
  set(folder ${work}/my_${kind})
  call(${CMAKE_COMMAND} -S ${folder} -B ${folder}/build -G Ninja -DCMAKE_PREFIX_PATH=${work}/prefix)
  call(${CMAKE_COMMAND} --build ${folder}/build)
  call(${CMAKE_CTEST_COMMAND} --test-dir ${folder}/build --no-tests=error --output-on-failure)
  call(ninja -C ${folder}/build -t deps)
  string(TIMESTAMP end %s)
  math(EXPR seconds "${end} - ${begin}")
  message("plugin new --kind ${kind}, built and tested in ${seconds} s")
  if(output MATCHES "${SOURCE}/(engine|operators|tests)/")
    message(FATAL_ERROR "my_${kind} uses headers of the source tree:\n${output}")
  endif()
endforeach()

# The examples, and the code of the documentation. The one on ATen needs libtorch.
file(GLOB plugins ${SOURCE}/plugins/*/CMakeLists.txt)
foreach(file IN LISTS plugins)
  get_filename_component(folder ${file} DIRECTORY)
  get_filename_component(name ${folder} NAME)
  file(STRINGS ${file} torch REGEX "penstock::torch")
  if(torch AND NOT TORCH)
    continue()
  endif()
  build_project(${folder} plugin_${name})
  file(STRINGS ${file} tests REGEX "enable_testing")
  if(tests)
    call(${CMAKE_CTEST_COMMAND} --test-dir ${work}/plugin_${name}/build --no-tests=error
      --output-on-failure)
  endif()
endforeach()
call(${PYTHON} -B ${SOURCE}/tests/package/write_blocks.py ${SOURCE}/docs/plugins.md ${work}/docs)
call(${CMAKE_COMMAND} -S ${work}/docs -B ${work}/docs/build -G Ninja
  -DCMAKE_PREFIX_PATH=${work}/prefix -DCMAKE_CXX_FLAGS=-Werror)
call(${CMAKE_COMMAND} --build ${work}/docs/build)
call(${CMAKE_CTEST_COMMAND} --test-dir ${work}/docs/build --no-tests=error --output-on-failure)
file(GLOB sources ${work}/docs/*.c)
call(cc -std=c11 -Wall -Wextra -Werror -fsyntax-only -I${work}/prefix/include ${sources})
call(${CMAKE_COMMAND} -E chdir ${work}/docs ${CMAKE_COMMAND} -E env
  LD_LIBRARY_PATH=${work}/prefix/${LIBDIR} PENSTOCK_PLUGIN_PATH=${work}/docs/build
  ${PYTHON} loop.py)
if(NOT output MATCHES "\"examples\": 1000,")
  message(FATAL_ERROR "the loop in Python does not see 1000 samples:\n${output}")
endif()
