# Installs the build into a new folder, then builds and runs a consumer outside the tree against it,
# and builds the plugin projects of plugins/ the same way. Called by ctest with BINARY and SOURCE.
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
    -DCMAKE_PREFIX_PATH=${work}/prefix -DCMAKE_BUILD_TYPE=Release)
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

file(GLOB plugins ${SOURCE}/plugins/*/CMakeLists.txt)
foreach(file IN LISTS plugins)
  get_filename_component(folder ${file} DIRECTORY)
  get_filename_component(name ${folder} NAME)
  build_project(${folder} plugin_${name})
endforeach()
