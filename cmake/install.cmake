# `cmake --install` gives libraries that find_package(fearnet) and pkg-config find, and the program. The components "core",
# "data" and "lab" are the libraries with their headers, each needing those before it: a device needs
# `cmake --install BUILD --component core`.
include(CMakePackageConfigHelpers)
set(fearnet_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/fearnet)

function(fearnet_install target component)
  install(TARGETS ${target} EXPORT fearnet_${component}_targets COMPONENT ${component}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT fearnet_${component}_targets NAMESPACE fearnet:: DESTINATION ${fearnet_cmake_dir} COMPONENT ${component})
endfunction()
fearnet_install(fearnet core)
fearnet_install(fearnet_data data)
fearnet_install(fearnet_lab lab)
file(GLOB core_headers ${PROJECT_SOURCE_DIR}/include/fearnet/*.hpp)
install(FILES include/fearnet.hpp include/fearnet_c.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT core)
install(FILES ${core_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fearnet COMPONENT core)
install(FILES tests/contract/learner_contract.hpp tests/contract/same_states.hpp DESTINATION ${CMAKE_INSTALL_DATADIR}/fearnet/contract COMPONENT core)
install(DIRECTORY include/fearnet/data DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fearnet COMPONENT data)
install(DIRECTORY include/fearnet/lab DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fearnet COMPONENT lab)

# Shared libraries are found relative to the program and to each other, wherever the prefix lies.
if(BUILD_SHARED_LIBS)
  file(RELATIVE_PATH fearnet_lib_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(fearnet_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${fearnet_lib_from_bin}")
  set_target_properties(fearnet fearnet_data fearnet_lab PROPERTIES INSTALL_RPATH "$ORIGIN")
endif()
install(TARGETS fearnet_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(DIRECTORY ${PROJECT_BINARY_DIR}/share/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT program)
install(FILES ${PROJECT_BINARY_DIR}/share/fearnet.bash RENAME fearnet
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
install(FILES ${PROJECT_BINARY_DIR}/share/_fearnet DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
        COMPONENT program)
install(FILES ${PROJECT_BINARY_DIR}/share/fearnet.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
        COMPONENT program)

set(fearnet_contract_includes ${CMAKE_INSTALL_DATADIR}/fearnet)
configure_package_config_file(cmake/fearnetConfig.cmake.in ${PROJECT_BINARY_DIR}/fearnetConfig.cmake
                              INSTALL_DESTINATION ${fearnet_cmake_dir} PATH_VARS fearnet_contract_includes)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/fearnetConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/fearnetConfig.cmake ${PROJECT_BINARY_DIR}/fearnetConfigVersion.cmake
        DESTINATION ${fearnet_cmake_dir} COMPONENT core)
install(FILES cmake/FindLibSVM.cmake DESTINATION ${fearnet_cmake_dir} COMPONENT lab)

# pkg-config has the core only.
set(fearnet_pc_private_libs "-lsqlite3 -lstdc++ -lm")
if(FEARNET_GEMM STREQUAL "onednn")
  string(PREPEND fearnet_pc_private_libs "-ldnnl -l:libgomp.so.1 ")
endif()
# Whoever links a static library needs what it uses, with or without `pkg-config --static`.
set(fearnet_pc_libs "")
if(NOT BUILD_SHARED_LIBS)
  set(fearnet_pc_libs " ${fearnet_pc_private_libs}")
  set(fearnet_pc_private_libs "")
endif()
# Relative to the .pc file, so that `cmake --install --prefix` and moving the prefix later both work.
file(RELATIVE_PATH fearnet_prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
cmake_path(APPEND fearnet_pc_libdir "\${prefix}" ${CMAKE_INSTALL_LIBDIR})
cmake_path(APPEND fearnet_pc_includedir "\${prefix}" ${CMAKE_INSTALL_INCLUDEDIR})
configure_file(cmake/fearnet.pc.in ${PROJECT_BINARY_DIR}/fearnet.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/fearnet.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT core)
