# Writes OUTPUT, a header with the commit, compiler and flags of this build, only if they changed, which avoids rebuilds. Run at
# every build: cmake -DSOURCE= -DOUTPUT= -DCOMPILER= -DFLAGS= -P build_info.cmake
set(commit unknown)
find_package(Git QUIET)
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE} rev-parse --short=12 HEAD
                  OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
  if(NOT failed)
    execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE} diff --quiet HEAD -- src include CMakeLists.txt
                    RESULT_VARIABLE changed ERROR_QUIET)
    set(commit ${head})
    if(changed)
      string(APPEND commit "+")
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[#pragma once
#define ALACARTE_BUILD_COMMIT "@commit@"
#define ALACARTE_BUILD_COMPILER "@COMPILER@"
#define ALACARTE_BUILD_FLAGS "@FLAGS@"
]])
