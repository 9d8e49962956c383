# Finds libtorch without torch's own CMake package, which drags in nvcc and CUDA flags.
# Looks in PENSTOCK_TORCH_ROOT (the folder of the Python package torch), then in the project's
# .venv, then asks the Python in use. Defines TorchLib::cpu, TorchLib::cuda where the wheel has it,
# TorchLib_VERSION and TorchLib_ROOT.
set(PENSTOCK_TORCH_ROOT "" CACHE PATH "Folder of the Python package torch")

set(TorchLib_ROOT ${PENSTOCK_TORCH_ROOT})
if(NOT TorchLib_ROOT)
  file(GLOB TorchLib_ROOT LIST_DIRECTORIES true
    ${CMAKE_SOURCE_DIR}/.venv/lib/python3*/site-packages/torch)
endif()
if(NOT TorchLib_ROOT)
  execute_process(
    COMMAND python3 -c "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0])"
    OUTPUT_VARIABLE TorchLib_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()

set(TorchLib_LIBRARY ${TorchLib_ROOT}/lib/libtorch_cpu.so)
if(NOT TorchLib_ROOT OR NOT EXISTS ${TorchLib_LIBRARY})
  unset(TorchLib_LIBRARY)
endif()
if(TorchLib_LIBRARY)
  file(STRINGS ${TorchLib_ROOT}/version.py line REGEX "^__version__")
  string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" TorchLib_VERSION "${line}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TorchLib
  REQUIRED_VARS TorchLib_LIBRARY VERSION_VAR TorchLib_VERSION)

if(TorchLib_FOUND AND NOT TARGET TorchLib::cpu)
  add_library(TorchLib::cpu INTERFACE IMPORTED)
  target_include_directories(TorchLib::cpu SYSTEM INTERFACE
    ${TorchLib_ROOT}/include ${TorchLib_ROOT}/include/torch/csrc/api/include)
  target_compile_definitions(TorchLib::cpu INTERFACE _GLIBCXX_USE_CXX11_ABI=1
    PENSTOCK_TORCH_VERSION="${TorchLib_VERSION}")
  target_link_libraries(TorchLib::cpu INTERFACE
    ${TorchLib_LIBRARY} ${TorchLib_ROOT}/lib/libc10.so)
  target_link_options(TorchLib::cpu INTERFACE -Wl,-rpath,${TorchLib_ROOT}/lib)
  if(EXISTS ${TorchLib_ROOT}/lib/libtorch_cuda.so)
    add_library(TorchLib::cuda INTERFACE IMPORTED)
    target_link_libraries(TorchLib::cuda INTERFACE TorchLib::cpu
      ${TorchLib_ROOT}/lib/libtorch_cuda.so ${TorchLib_ROOT}/lib/libc10_cuda.so)
  endif()
endif()
