# The limit drivers of script/bench: each does only what no reader can avoid, with the same
# libraries that fonds links. They are not part of the product and are never installed.
option(FONDS_BENCH "Build the limit drivers that script/bench compares with" OFF)

if(FONDS_BENCH)
  pkg_check_modules(fonds_bench_codecs REQUIRED IMPORTED_TARGET libdeflate libzstd libisal)
  add_library(bench_support STATIC ${CMAKE_CURRENT_LIST_DIR}/../bench/limits/support.cpp)
  add_custom_target(bench_limits)
  foreach(driver run_once list_units limit_gzip limit_gzip_sha1 limit_zstd limit_recompress limit_stream limit_read
      limit_recordio_zstd limit_clps delay_proxy)
    add_executable(${driver} ${CMAKE_CURRENT_LIST_DIR}/../bench/limits/${driver}.cpp)
    target_link_libraries(${driver} PRIVATE bench_support PkgConfig::fonds_bench_codecs OpenSSL::Crypto)
    set_target_properties(${driver} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
    if(FONDS_DEVELOPER)
      target_compile_options(${driver} PRIVATE -Wall -Wextra -Wconversion -Wshadow -Werror)
    endif()
    add_dependencies(bench_limits ${driver})
  endforeach()

  # What is measured of the library itself where a command would measure more.
  add_executable(recordio_driver ${CMAKE_CURRENT_LIST_DIR}/../bench/recordio_driver.cpp)
  target_link_libraries(recordio_driver PRIVATE bench_support fonds::fonds)
  set_target_properties(recordio_driver PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
  if(FONDS_DEVELOPER)
    target_compile_options(recordio_driver PRIVATE -Wall -Wextra -Wconversion -Wshadow -Werror)
  endif()
endif()
