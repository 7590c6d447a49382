# Installs the build to a fresh prefix, builds examples/find_package against it, runs it on a sample,
# and looks for everything else that an installation holds.
set(work ${BUILD}/install-test)
file(REMOVE_RECURSE ${work})
set(prefix ${work}/prefix)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT status EQUAL 0)
    string(JOIN " " command ${ARGN})
    message(FATAL_ERROR "${command}: status ${status}\n${out}${err}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
foreach(pattern bin/fonds "lib*/cmake/fonds/fondsConfig.cmake" "lib*/*/cmake/fonds/fondsConfig.cmake"
        share/man/man1/fonds.1 share/bash-completion/completions/fonds share/zsh/site-functions/_fonds
        share/fish/vendor_completions.d/fonds.fish share/licenses/fonds/LICENSE
        include/fonds/reader.hpp)
  file(GLOB found ${prefix}/${pattern})
  if(pattern MATCHES fondsConfig)
    list(APPEND configs ${found})
  elseif(NOT found)
    message(FATAL_ERROR "${pattern} was not installed")
  else()
    foreach(file IN LISTS found)
      file(SIZE ${file} size)
      if(size EQUAL 0)
        message(FATAL_ERROR "${file} is empty")
      endif()
    endforeach()
  endif()
endforeach()
if(NOT configs)
  message(FATAL_ERROR "fondsConfig.cmake was not installed")
endif()

run(${CMAKE_COMMAND} -S ${SOURCE}/examples/find_package -B ${work}/build -G ${GENERATOR}
  -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${prefix})
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/count_records ${SOURCE}/tests/data/warc/own/gz-per-record.warc.gz)
if(NOT out MATCHES "^4 records")
  message(FATAL_ERROR "the example printed: ${out}")
endif()

file(GLOB pc ${prefix}/lib*/pkgconfig ${prefix}/lib*/*/pkgconfig)
set(ENV{PKG_CONFIG_PATH} ${pc})
find_program(PKG_CONFIG pkg-config REQUIRED)
run(${PKG_CONFIG} --modversion fonds)
string(STRIP "${out}" out)
if(NOT out STREQUAL VERSION)
  message(FATAL_ERROR "fonds.pc says version ${out}, not ${VERSION}")
endif()
