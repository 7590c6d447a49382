# What carries requests over the network is a module, loaded at the first URL: loading the network
# library costs 7 ms of CPU, which those who read files do not pay.
add_library(fonds_remote MODULE modules/remote/curl_client.cpp)
target_include_directories(fonds_remote PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(fonds_remote PRIVATE CURL::libcurl Threads::Threads)
set_target_properties(fonds_remote PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
if(FONDS_DEVELOPER)
  target_compile_options(fonds_remote PRIVATE ${FONDS_WARNINGS})
endif()

# Where the library looks for it: beside the program (a build folder), and where it is installed, from
# the program's folder and by the whole path.
set(FONDS_MODULE_DIR ${CMAKE_INSTALL_LIBDIR}/fonds)
install(TARGETS fonds_remote DESTINATION ${FONDS_MODULE_DIR})
file(RELATIVE_PATH module_from_bin /${CMAKE_INSTALL_BINDIR} /${FONDS_MODULE_DIR}/fonds_remote.so)
set_source_files_properties(src/io/remote/session.cpp PROPERTIES COMPILE_DEFINITIONS
  "FONDS_REMOTE_MODULE_NAME=\"fonds_remote.so\";FONDS_REMOTE_MODULE_FROM_BIN=\"${module_from_bin}\";FONDS_REMOTE_MODULE_INSTALLED=\"${CMAKE_INSTALL_FULL_LIBDIR}/fonds/fonds_remote.so\"")
add_dependencies(fonds fonds_remote)
