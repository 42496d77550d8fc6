# One translation unit per folder: most of the time of a small file goes into other people's headers.
# Every file still includes what it uses; -DEIGENVEIL_UNITY=OFF (and make lint) compiles them one by one.
option(EIGENVEIL_UNITY "Compile each folder as one translation unit" ON)

# Groups the sources of a target by folder. A folder whose files would take too long together is cut into
# several units: eigenveil_unity(target [FOLDER/PATH=N ...]).
function(eigenveil_unity target)
  if(NOT EIGENVEIL_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  get_target_property(base ${target} SOURCE_DIR)
  set(position 0)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${base})
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${CMAKE_SOURCE_DIR})
    set(units 1)
    foreach(cut IN LISTS ARGN)
      if(cut MATCHES "^${folder}=([0-9]+)$")
        set(units ${CMAKE_MATCH_1})
      endif()
    endforeach()
    math(EXPR unit "${position} % ${units}")
    math(EXPR position "${position} + 1")
    string(REPLACE "/" "_" group "${folder}_${unit}")
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group})
    list(APPEND groups ${group})
  endforeach()
  list(REMOVE_DUPLICATES groups)
  set_target_properties(${target} PROPERTIES EIGENVEIL_UNITY_GROUPS "${groups}")
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# Folders compiled at -O1. A file with options of its own would leave its unit, so the unit gets them.
function(eigenveil_light_folders target)  # folders...
  get_target_property(groups ${target} EIGENVEIL_UNITY_GROUPS)
  get_target_property(directory ${target} BINARY_DIR)
  foreach(folder IN LISTS ARGN)
    string(REPLACE "/" "_" prefix ${folder})
    foreach(group IN LISTS groups)
      if(group MATCHES "^${prefix}_[0-9]+$")
        set_source_files_properties(${directory}/CMakeFiles/${target}.dir/Unity/unity_${group}_cxx.cxx
          PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
      endif()
    endforeach()
  endforeach()
endfunction()
