# Man pages, shell completions, and Debian packages by `cpack -G DEB`: alacarte, libalacarte-dev and, with ALACARTE_PYTHON,
# python3-alacarte. A package is a component of the installation; `cmake --install` installs all of them.
set(ALACARTE_PACKAGER "The alacarte authors <maintainers@alacarte.example>" CACHE STRING "Maintainer of the Debian packages")
# Debian has another alacarte, a menu editor of version 3; the epoch keeps apt from "upgrading" this one to it.
set(ALACARTE_PACKAGE_VERSION 1:${PROJECT_VERSION})

set(documents ${CMAKE_CURRENT_BINARY_DIR}/documents)
if(TARGET alacarte_program AND NOT CMAKE_CROSSCOMPILING AND NOT ALACARTE_SANITIZE AND NOT ALACARTE_COVERAGE)
  add_custom_command(TARGET alacarte_program POST_BUILD
                     COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:alacarte_program> -DFOLDER=${documents}
                             -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/documents.cmake VERBATIM)
  install(DIRECTORY ${documents}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT program)
  install(FILES ${documents}/bash/alacarte DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
  install(FILES ${documents}/zsh/_alacarte DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT program)
  install(FILES ${documents}/fish/alacarte.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
endif()

set(CPACK_COMPONENTS_ALL development)
if(TARGET alacarte_program)
  list(APPEND CPACK_COMPONENTS_ALL program)
endif()
if(ALACARTE_PYTHON)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME alacarte)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libalacarte-dev)
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-alacarte)

# Debian requires the licence and the changes in every package.
file(READ ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE ALACARTE_LICENSE_TEXT)
string(REGEX REPLACE "^.*\n(Permission is)" "\\1" ALACARTE_LICENSE_TEXT "${ALACARTE_LICENSE_TEXT}")
string(STRIP "${ALACARTE_LICENSE_TEXT}" ALACARTE_LICENSE_TEXT)
string(REPLACE "\n\n" "\n.\n" ALACARTE_LICENSE_TEXT "${ALACARTE_LICENSE_TEXT}")
string(REPLACE "\n" "\n " ALACARTE_LICENSE_TEXT " ${ALACARTE_LICENSE_TEXT}")
set(ALACARTE_FFTW_LICENSE "")
if(ALACARTE_FFTW)
  set(ALACARTE_FFTW_LICENSE "\n They are linked with FFTW, so that they may be passed on under the GPL-2+ only.")
endif()
set(about ${CMAKE_CURRENT_BINARY_DIR}/debian)
configure_file(cmake/debian/copyright.in ${about}/copyright @ONLY)
configure_file(cmake/debian/changelog.in ${about}/changelog @ONLY)
find_program(GZIP gzip)
mark_as_advanced(GZIP)
set(changelog ${about}/changelog)
if(GZIP)
  execute_process(COMMAND ${GZIP} -9nfk ${changelog})
  string(APPEND changelog .gz)
endif()
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  install(FILES ${about}/copyright ${changelog} COMPONENT ${component}
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT ${ALACARTE_PACKAGER})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
# Each package has its own summary. Any text except CPack's default would precede all of them.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_NAME} built using CMake")
set(CPACK_DEB_COMPONENT_INSTALL ON)
# CPack's default names would contain the colon of the epoch.
execute_process(COMMAND dpkg --print-architecture OUTPUT_VARIABLE architecture ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_FILE_NAME ${CPACK_DEBIAN_${upper}_PACKAGE_NAME}_${PROJECT_VERSION}_${architecture}.deb)
endforeach()
set(CPACK_DEBIAN_PACKAGE_EPOCH 1)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "Gaussian processes with learned kernels
Regression and classification of tables with error bars, in time linear in the
number of rows. The kernel is learned: Gaussian mixtures and piecewise linear
spectra, length-scales for each input, and others, on Fastfood features.

The program trains, predicts, evaluates and inspects models, and comes with
recipes, man pages, and completion for bash, zsh and fish.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libboost-dev, libeigen3-dev, libfmt-dev, liblinear-dev, libssl-dev, libsvm-dev, nlohmann-json3-dev, zlib1g-dev")
if(ALACARTE_USE_OPENBLAS)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", liblapacke-dev, libopenblas-dev, pkg-config")
endif()
if(ALACARTE_TREES)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libxgboost-dev")
endif()
if(ALACARTE_FFTW)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libfftw3-dev")
endif()
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "Gaussian processes with learned kernels, C++ library
Headers, library and CMake package files: learned Fastfood kernels, exact
kernels, training, prediction with error bars, and model files.

A project finds the library by find_package(alacarte).")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS ${ALACARTE_PYTHON_DEPENDS})
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_SOURCE_DIR}/cmake/debian/postinst
                                              ${CMAKE_CURRENT_SOURCE_DIR}/cmake/debian/prerm)
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "Gaussian processes with learned kernels for Python 3
Estimators for regression, classification and counts by scikit-learn's
conventions, with error bars, and their kernels as feature maps. They read and
write the model files of the program alacarte, and need it not.")
include(CPack)
