# One GoogleTest program from all *_test.cpp, found by ctest test by test.
find_package(GTest REQUIRED)
find_package(nlohmann_json REQUIRED)
pkg_check_modules(brotli_encoder REQUIRED IMPORTED_TARGET libbrotlienc)
include(GoogleTest)
enable_testing()

# Sanitizer runs that need only some tests compile only the sources that match.
set(FONDS_TEST_SOURCES_MATCHING "" CACHE STRING "Compile only test sources with a line that matches")

# Archives that tests make, for whoever has a table of them.
file(GLOB archive_sources CONFIGURE_DEPENDS tests/archives/*.cpp)

file(GLOB_RECURSE cross_test_sources CONFIGURE_DEPENDS tests/*_test.cpp tests/conformance/*.cpp)
list(APPEND test_sources ${cross_test_sources} ${archive_sources})
list(REMOVE_DUPLICATES test_sources)
if(FONDS_TEST_SOURCES_MATCHING)
  set(matching)
  foreach(source IN LISTS test_sources)
    file(STRINGS ${source} lines REGEX "${FONDS_TEST_SOURCES_MATCHING}")
    if(lines OR NOT source MATCHES "_test\\.cpp$")
      list(APPEND matching ${source})
    endif()
  endforeach()
  set(test_sources ${matching})
endif()

if(test_sources)
  add_executable(fonds_tests ${test_sources})
  target_include_directories(fonds_tests PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests
    ${PROJECT_BINARY_DIR}/generated)
  # The library is what is optimized and watched by UBSan; tests that are not compile in half of the
  # time.
  target_compile_options(fonds_tests PRIVATE ${FONDS_WARNINGS} -O0)
  if(CMAKE_CXX_FLAGS MATCHES "undefined")
    target_compile_options(fonds_tests PRIVATE -fno-sanitize=undefined)
  endif()
  target_precompile_headers(fonds_tests PRIVATE <gmock/gmock.h> <gtest/gtest.h> <fmt/core.h>)
  target_link_libraries(fonds_tests PRIVATE fonds::fonds GTest::gmock GTest::gtest_main
    nlohmann_json::nlohmann_json ${FONDS_FMT} OpenSSL::Crypto BZip2::BZip2 LibLZMA::LibLZMA ZLIB::ZLIB
    PkgConfig::codecs PkgConfig::brotli_encoder Threads::Threads)
  gtest_discover_tests(fonds_tests DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 300 LABELS unit)
endif()

# The damage campaign; script/damage runs all of it.
file(GLOB campaign_sources CONFIGURE_DEPENDS tests/campaign/*.cpp)
list(FILTER campaign_sources EXCLUDE REGEX "_test\\.cpp$")
add_executable(fonds_damage ${campaign_sources} ${archive_sources})
target_include_directories(fonds_damage PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests
  ${PROJECT_BINARY_DIR}/generated)
target_compile_options(fonds_damage PRIVATE ${FONDS_WARNINGS})
target_link_libraries(fonds_damage PRIVATE fonds::fonds ${FONDS_FMT} BZip2::BZip2 LibLZMA::LibLZMA
  PkgConfig::codecs Threads::Threads)
add_test(NAME damage.campaign COMMAND fonds_damage --variants 40 --seed 1)
set_tests_properties(damage.campaign PROPERTIES TIMEOUT 1800 LABELS damage)
