# `cmake --install` gives a library that find_package(fearnet) and pkg-config find, and the program.
include(CMakePackageConfigHelpers)

install(TARGETS fearnet EXPORT fearnet_targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS fearnet_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_BINARY_DIR}/share/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${PROJECT_BINARY_DIR}/share/fearnet.bash RENAME fearnet
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${PROJECT_BINARY_DIR}/share/_fearnet DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${PROJECT_BINARY_DIR}/share/fearnet.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT fearnet_targets NAMESPACE fearnet:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/fearnet)

configure_package_config_file(cmake/fearnetConfig.cmake.in ${PROJECT_BINARY_DIR}/fearnetConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/fearnet)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/fearnetConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/fearnetConfig.cmake ${PROJECT_BINARY_DIR}/fearnetConfigVersion.cmake
              cmake/FindLibSVM.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/fearnet)

set(fearnet_pc_private_libs "-lsqlite3 -lz -lfmt -lstdc++ -lm")
if(FEARNET_SVM)
  string(PREPEND fearnet_pc_private_libs "-lsvm ")
endif()
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
install(FILES ${PROJECT_BINARY_DIR}/fearnet.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
