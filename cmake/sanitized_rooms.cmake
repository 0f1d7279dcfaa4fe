# Builds some rooms a second time with AddressSanitizer and UndefinedBehaviorSanitizer, beside the plain build: much cheaper than
# building everything with sanitizers. Their objects come first on a link line and define every symbol of their rooms, so the
# linker takes only the other rooms from the plain libraries. (Unity files never mix rooms.) g++'s libstdc++ does not annotate its
# containers, so plain and instrumented code may share them.
add_library(alacarte_sanitized_flags INTERFACE)
# Unoptimised, and without the checks of each access through a pointer that the preset asan-ubsan makes: half the compile time.
target_compile_options(alacarte_sanitized_flags INTERFACE -fsanitize=address,undefined -fno-sanitize=null,alignment,object-size,vptr
                                                          -fno-omit-frame-pointer -fno-sanitize-recover=all -O0)
target_link_options(alacarte_sanitized_flags INTERFACE -fsanitize=address,undefined)
target_compile_definitions(alacarte_sanitized_flags INTERFACE ALACARTE_SANITIZED)
if(NOT ALACARTE_NATIVE)
  # Under AddressSanitizer, Eigen would align its memory itself instead of relying on malloc(), and could not free memory of plain
  # code. AddressSanitizer's malloc() aligns to 16 bytes like glibc's; for AVX, Eigen aligns itself in both builds.
  target_compile_definitions(alacarte_sanitized_flags INTERFACE EIGEN_MALLOC_ALREADY_ALIGNED=1)
endif()

# alacarte_sanitized(NAME TARGET...): makes NAME an object library of the sources of the TARGETs in ALACARTE_SANITIZED_ROOMS,
# built like the TARGETs but with sanitizers.
function(alacarte_sanitized name)
  add_library(${name} OBJECT)
  # alacarte_unity() stores its groups as source properties.
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${ALACARTE_UNITY} UNITY_BUILD_MODE GROUP)
  list(JOIN ALACARTE_SANITIZED_ROOMS "|" rooms)
  foreach(target IN LISTS ARGN)
    foreach(property SOURCES INCLUDE_DIRECTORIES COMPILE_DEFINITIONS LINK_LIBRARIES)
      get_target_property(${property} ${target} ${property})
      if(NOT ${property})
        set(${property} "")
      endif()
    endforeach()
    list(FILTER SOURCES INCLUDE REGEX "/src/(${rooms})/")
    target_sources(${name} PRIVATE ${SOURCES})
    target_include_directories(${name} PRIVATE ${INCLUDE_DIRECTORIES})
    target_compile_definitions(${name} PRIVATE ${COMPILE_DEFINITIONS})
    target_link_libraries(${name} PRIVATE ${LINK_LIBRARIES})
  endforeach()
  # Its optimisation level must come last to take effect.
  target_link_libraries(${name} PRIVATE alacarte_sanitized_flags)
endfunction()

alacarte_sanitized(alacarte_sanitized_rooms alacarte)
add_dependencies(alacarte_sanitized_rooms alacarte_build_info)
target_precompile_headers(alacarte_sanitized_rooms PRIVATE <Eigen/Core> <nlohmann/json.hpp> <fmt/format.h>)
if(cli IN_LIST ALACARTE_SANITIZED_ROOMS AND TARGET alacarte_program)
  alacarte_sanitized(alacarte_sanitized_cli alacarte_cli alacarte_program)
  add_executable(alacarte_sanitized_program $<TARGET_OBJECTS:alacarte_sanitized_cli> $<TARGET_OBJECTS:alacarte_sanitized_rooms>)
  set_target_properties(alacarte_sanitized_program PROPERTIES OUTPUT_NAME alacarte
                                                              RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/sanitized)
  get_target_property(libraries alacarte_program LINK_LIBRARIES)
  target_link_libraries(alacarte_sanitized_program PRIVATE alacarte_sanitized_flags ${libraries})
endif()
