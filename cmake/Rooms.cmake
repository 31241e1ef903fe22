# A room is a folder of sim/ built as one static library.
#   edgenpu_room(NAME DEPS room... LINK library... PCH header... [HOT])
# LINK names third-party libraries that only this room uses; DEPS are rooms to its left. PCH names its large headers.
# HOT: simulations spend their time in it. The others read and print; optimising them further saves no user a second
# and costs a quarter of the build.

function(edgenpu_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra $<$<BOOL:${EDGENPU_WERROR}>:-Werror>)
endfunction()

# Parsing what nearly every source reads was half the time of a build: it is parsed once for all rooms, and once for
# all tests.
set(edgenpu_common_headers <fmt/format.h> <algorithm> <array> <cmath> <cstdint> <filesystem> <fstream> <functional>
    <map> <memory> <numeric> <optional> <set> <sstream> <string> <utility> <variant> <vector>)
function(edgenpu_headers name)
  cmake_parse_arguments(H "" "" "LINK;PCH;OPTIONS" ${ARGN})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  add_library(${name} OBJECT ${source})
  target_link_libraries(${name} PRIVATE fmt::fmt ${H_LINK})
  target_precompile_headers(${name} PRIVATE ${H_PCH} ${edgenpu_common_headers})
  target_compile_options(${name} PRIVATE ${H_OPTIONS})
  edgenpu_warnings(${name})
endfunction()

function(edgenpu_room name)
  cmake_parse_arguments(ROOM "HOT" "" "DEPS;LINK;PCH" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${name}.cpp)
    list(APPEND sources ${CMAKE_CURRENT_SOURCE_DIR}/${name}.cpp)
  endif()
  if(NOT sources)
    return()
  endif()
  add_library(edgenpu_${name} STATIC ${sources})
  add_library(edgenpu::${name} ALIAS edgenpu_${name})
  target_include_directories(edgenpu_${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
  foreach(dep ${ROOM_DEPS})
    if(TARGET edgenpu_${dep})
      target_link_libraries(edgenpu_${name} PUBLIC edgenpu_${dep})
    endif()
  endforeach()
  target_link_libraries(edgenpu_${name} PRIVATE fmt::fmt ${ROOM_LINK})
  if(ROOM_PCH)
    target_precompile_headers(edgenpu_${name} PRIVATE ${ROOM_PCH} ${edgenpu_common_headers})
  else()
    target_precompile_headers(edgenpu_${name} REUSE_FROM edgenpu_room_headers)
  endif()
  if(NOT ROOM_HOT)
    # At -O1 GCC takes an empty std::optional for a variable without a value.
    target_compile_options(edgenpu_${name} PRIVATE
      $<$<CONFIG:Release>:-O1> $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-Wno-maybe-uninitialized>)
  endif()
  edgenpu_warnings(edgenpu_${name})
endfunction()

# Tests are compiled once and run for seconds: optimising their own code costs more than it saves.
set(edgenpu_test_options $<$<CONFIG:Release>:-O1>)

# All tests of tests/<room>/ in one executable; ctest runs every test as a process of its own, which SystemC
# needs (one simulation context a process).
#   edgenpu_tests(ROOM LINK library... LABELS label... PCH header...)
function(edgenpu_tests room)
  cmake_parse_arguments(T "" "" "LINK;LABELS;PCH" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${room}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(test_${room} ${sources})
  foreach(library ${T_LINK})
    if(TARGET ${library})
      target_link_libraries(test_${room} PRIVATE ${library})
    endif()
  endforeach()
  target_link_libraries(test_${room} PRIVATE fmt::fmt GTest::gmock GTest::gtest_main)
  if(T_PCH)  # systemc leaves a reference to its library in every object
    target_precompile_headers(test_${room} PRIVATE <gmock/gmock.h> <gtest/gtest.h> ${T_PCH} ${edgenpu_common_headers})
  else()
    target_precompile_headers(test_${room} REUSE_FROM edgenpu_test_headers)
  endif()
  target_compile_options(test_${room} PRIVATE ${edgenpu_test_options})
  target_include_directories(test_${room} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_compile_definitions(test_${room} PRIVATE EDGENPU_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  edgenpu_warnings(test_${room})
  gtest_discover_tests(test_${room} PROPERTIES LABELS "${room};${T_LABELS}" TIMEOUT 300
                       DISCOVERY_TIMEOUT 60)
endfunction()
