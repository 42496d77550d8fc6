# The explorer's page is plain files in cli/explore/page; the program carries them, so it needs none at run time.
foreach(name explore.html explore.css explore.js)
  set(file ${CMAKE_SOURCE_DIR}/cli/explore/page/${name})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  string(REPLACE "." "_" variable page_${name})
  file(READ ${file} ${variable})
endforeach()
configure_file(${CMAKE_SOURCE_DIR}/cli/explore/embedded.cpp.in ${CMAKE_BINARY_DIR}/explorer/embedded.cpp @ONLY)
