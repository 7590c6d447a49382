# What `cmake --install` puts down: library, headers, CMake and pkg-config files, program, man page,
# completions, licence.
include(CMakePackageConfigHelpers)

install(TARGETS fonds EXPORT fonds)
install(DIRECTORY include/fonds DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/licenses/fonds)
install(FILES packaging/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/fonds)
install(EXPORT fonds NAMESPACE fonds:: FILE fondsTargets.cmake DESTINATION ${package_dir})
configure_package_config_file(cmake/fondsConfig.cmake.in ${PROJECT_BINARY_DIR}/fondsConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/fondsConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/fondsConfig.cmake ${PROJECT_BINARY_DIR}/fondsConfigVersion.cmake
  DESTINATION ${package_dir})

if(BUILD_SHARED_LIBS)
  set(FONDS_PC_REQUIRES Requires.private)
  set(FONDS_PC_LIBS "")
else()  # whoever links the archive links these too
  set(FONDS_PC_REQUIRES Requires)
  set(FONDS_PC_LIBS "-lbz2 -pthread")
endif()
file(RELATIVE_PATH FONDS_PC_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/fonds.pc.in ${PROJECT_BINARY_DIR}/fonds.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/fonds.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(TARGET fonds_cli)
  install(TARGETS fonds_cli)
  set(generated)
  # The program prints its own pages, so that they cannot differ from its flag table.
  foreach(page "man|fonds.1|${CMAKE_INSTALL_MANDIR}/man1"
               "bash|fonds.bash|${CMAKE_INSTALL_DATADIR}/bash-completion/completions|fonds"
               "zsh|_fonds|${CMAKE_INSTALL_DATADIR}/zsh/site-functions"
               "fish|fonds.fish|${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
    string(REPLACE "|" ";" page "${page}")
    list(POP_FRONT page kind file folder)
    set(installed ${file})
    if(page)
      set(installed ${page})
    endif()
    set(output ${PROJECT_BINARY_DIR}/pages/${file})
    add_custom_command(OUTPUT ${output} DEPENDS fonds_cli VERBATIM
      COMMAND sh -c "mkdir -p pages && \"$1\" --generate \"$2\" > \"$3\"" sh
        $<TARGET_FILE:fonds_cli> ${kind} ${output})
    list(APPEND generated ${output})
    install(FILES ${output} DESTINATION ${folder} RENAME ${installed})
  endforeach()
  add_custom_target(fonds_pages ALL DEPENDS ${generated})
endif()

if(FONDS_DEVELOPER AND TARGET fonds_cli)
  add_test(NAME install.find_package COMMAND ${CMAKE_COMMAND}
    -DBUILD=${PROJECT_BINARY_DIR} -DSOURCE=${PROJECT_SOURCE_DIR} -DGENERATOR=${CMAKE_GENERATOR}
    -DCOMPILER=${CMAKE_CXX_COMPILER} -DVERSION=${PROJECT_VERSION}
    -P ${PROJECT_SOURCE_DIR}/tests/install/find_package.cmake)
  set_tests_properties(install.find_package PROPERTIES TIMEOUT 300 LABELS install)
endif()
