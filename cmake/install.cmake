# make install: the library with find_package(eigenveil); with it, where it is built, the program, its manual and completions.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/eigenveil)
# `cmake --install BUILD --component library` leaves out the program and the documentation.
install(TARGETS eigenveil eigenveil_dependencies EXPORT eigenveil_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(EXPORT eigenveil_targets NAMESPACE eigenveil:: DESTINATION ${package_dir} COMPONENT library)
configure_package_config_file(cmake/eigenveil-config.cmake.in
  ${CMAKE_BINARY_DIR}/eigenveil-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/eigenveil-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/eigenveil-config.cmake
  ${CMAKE_BINARY_DIR}/eigenveil-config-version.cmake DESTINATION ${package_dir} COMPONENT library)
configure_file(cmake/eigenveil.pc.in ${CMAKE_BINARY_DIR}/eigenveil.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/eigenveil.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  COMPONENT library)
install(DIRECTORY include/eigenveil DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(EIGENVEIL_CLI)
  # The manual and the completions come from the program itself, so they cannot fall behind it.
  install(TARGETS eigenveil_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  set_target_properties(eigenveil_cli PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/eigenveil")
  # DT_RPATH, not DT_RUNPATH: the libraries of a tarball must also find each other.
  target_link_options(eigenveil_cli PRIVATE -Wl,--disable-new-dtags)
  set(interface_dir ${CMAKE_BINARY_DIR}/interface)
  add_custom_command(TARGET eigenveil_cli POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E make_directory ${interface_dir}
    COMMAND eigenveil_cli man > ${interface_dir}/eigenveil.1
    COMMAND eigenveil_cli completion bash > ${interface_dir}/eigenveil.bash
    COMMAND eigenveil_cli completion zsh > ${interface_dir}/_eigenveil
    COMMAND eigenveil_cli completion fish > ${interface_dir}/eigenveil.fish
    COMMENT "Writing the manual page and the completions" VERBATIM)
  install(FILES ${interface_dir}/eigenveil.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${interface_dir}/eigenveil.bash RENAME eigenveil
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${interface_dir}/_eigenveil DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${interface_dir}/eigenveil.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

# What was installed, for make uninstall: paths below the prefix.
install(CODE [[
  set(list_file share/eigenveil/install_manifest.txt)
  set(installed ${list_file})
  foreach(file IN LISTS CMAKE_INSTALL_MANIFEST_FILES)
    file(RELATIVE_PATH file ${CMAKE_INSTALL_PREFIX} ${file})
    list(APPEND installed ${file})
  endforeach()
  list(SORT installed)
  list(JOIN installed "\n" installed)
  file(WRITE $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${list_file} "${installed}\n")
]])
