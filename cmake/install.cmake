# Install rules and the package: find_package(penstock) gives penstock::penstock, which needs no
# other package. Nothing of libtorch is installed; the finder of it is.
if(NOT TARGET penstock)
  return()
endif()
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/penstock)

install(TARGETS penstock penstock_testing EXPORT penstock
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET penstock_cli)
  set_target_properties(penstock_cli PROPERTIES EXPORT_NAME cli)
  install(TARGETS penstock_cli EXPORT penstock RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(EXPORT penstock NAMESPACE penstock:: DESTINATION ${package_dir} FILE penstock-targets.cmake)
foreach(target IN LISTS opened_libraries)
  if(TARGET ${target})
    install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endforeach()
install(DIRECTORY engine/include/penstock DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} OPTIONAL)
install(DIRECTORY graphs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/penstock/graphs OPTIONAL)

configure_package_config_file(cmake/penstock-config.cmake.in
  ${CMAKE_BINARY_DIR}/penstock-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/penstock-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES cmake/FindTorchLib.cmake cmake/penstock-plugin.cmake ${CMAKE_BINARY_DIR}/penstock-config.cmake
  ${CMAKE_BINARY_DIR}/penstock-config-version.cmake DESTINATION ${package_dir})
