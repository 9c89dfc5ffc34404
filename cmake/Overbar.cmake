# Derivatives in a build with CMake (3.21 or later).
#
#   list(APPEND CMAKE_MODULE_PATH ".../cmake")
#   include(Overbar)
#   add_executable(main main.c)
#   overbar_add_derivative(main SOURCE cost.c HEAD "cost/(x)" MODES adjoint)
#
# overbar_add_derivative(TARGET
#   SOURCE file...            files of one program, all in C or all in Fortran
#   HEAD head...              what is differentiated: unit(dependents)/(independents)
#   MODES tangent|adjoint...  which derivatives; adjoint if left out
#   [HEADER name]             the header (C) or interface module (Fortran) that is written; TARGET_derivatives.h or .f90 if left out
#   [OPTIONS option...])      more options of `overbar diff`
#
# What is written has the text of the sources and their derivatives. It is compiled into TARGET, which must not have the sources themselves too. TARGET finds
# the header, and the run-time file where one is needed. Include folders and definitions of TARGET count. Included files are followed.

find_program(OVERBAR_EXECUTABLE overbar DOC "The program overbar")

function(overbar_add_derivative target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "HEADER" "SOURCE;HEAD;MODES;OPTIONS")
  if(NOT TARGET ${target})
    message(FATAL_ERROR "overbar_add_derivative: there is no target ${target}; add it before, with add_executable or add_library")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "overbar_add_derivative: ${arg_UNPARSED_ARGUMENTS} is not understood; the words are SOURCE, HEAD, MODES, HEADER and OPTIONS")
  endif()
  if(NOT arg_SOURCE OR NOT arg_HEAD)
    message(FATAL_ERROR "overbar_add_derivative: give SOURCE with files and HEAD with unit(dependents)/(independents)")
  endif()
  if(NOT OVERBAR_EXECUTABLE)
    message(FATAL_ERROR "overbar_add_derivative: the program overbar is not there; build it with `cargo install --locked --path .`, or give -DOVERBAR_EXECUTABLE=FILE")
  endif()
  if(IS_ABSOLUTE "${OVERBAR_EXECUTABLE}" AND NOT EXISTS "${OVERBAR_EXECUTABLE}")
    message(FATAL_ERROR "overbar_add_derivative: OVERBAR_EXECUTABLE is ${OVERBAR_EXECUTABLE}, and there is no such file; build the program with `cargo install --locked --path .`, or give -DOVERBAR_EXECUTABLE=FILE")
  endif()

  set(words)
  foreach(head IN LISTS arg_HEAD)
    list(APPEND words --head "${head}")
  endforeach()
  if(NOT arg_MODES)
    set(arg_MODES adjoint)
  endif()
  foreach(mode IN LISTS arg_MODES)
    if(NOT mode MATCHES "^(tangent|adjoint)$")
      message(FATAL_ERROR "overbar_add_derivative: there is no mode ${mode}; MODES are tangent and adjoint")
    endif()
    list(APPEND words --${mode})
  endforeach()

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/overbar/${target}")
  set(inputs)
  set(outputs)
  set(language)
  foreach(source IN LISTS arg_SOURCE)
    get_filename_component(path "${source}" ABSOLUTE)
    get_filename_component(name "${source}" NAME)
    if(NOT EXISTS "${path}")
      message(FATAL_ERROR "overbar_add_derivative: there is no file ${path}")
    endif()
    if(name MATCHES "\\.c$")
      list(APPEND language C)
    else()
      list(APPEND language Fortran)
    endif()
    list(APPEND inputs "${path}")
    get_filename_component(beside "${path}" DIRECTORY)
    target_include_directories(${target} PRIVATE "${beside}")
    list(APPEND outputs "${folder}/${name}")
  endforeach()
  list(REMOVE_DUPLICATES language)
  if(NOT language MATCHES "^(C|Fortran)$")
    message(FATAL_ERROR "overbar_add_derivative: the files are in different languages; call it once for each")
  endif()
  if(NOT CMAKE_${language}_COMPILER)
    message(FATAL_ERROR "overbar_add_derivative: no compiler for ${language} is enabled; name the language in project(... LANGUAGES ${language}) and install one (Debian: gcc, gfortran)")
  endif()

  if(NOT arg_HEADER)
    string(TOLOWER "${language}" extension)
    string(REPLACE "fortran" "f90" extension "${extension}")
    string(REPLACE "c" "h" extension "${extension}")
    set(arg_HEADER "${target}_derivatives.${extension}")
  endif()
  set(header "${folder}/${arg_HEADER}")

  string(TOLOWER "${language}" language_word)
  set(reading_includes)
  set(reading_definitions)
  if(language STREQUAL C)
    set(includes "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
    set(definitions "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
    set(reading_includes "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>")
    set(reading_definitions "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>")
    set(runtime "${folder}/overbar.h")
  else()
    set(runtime "${folder}/overbar_runtime.f90")
  endif()
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(
    OUTPUT ${outputs} "${header}"
    COMMAND "${OVERBAR_EXECUTABLE}" diff --quiet ${inputs} ${words}
      "${reading_includes}" "${reading_definitions}" ${arg_OPTIONS}
      -O "${folder}" --header "${header}" --depfile "${folder}/derivatives.d"
    DEPENDS ${inputs} "${OVERBAR_EXECUTABLE}"
    DEPFILE "${folder}/derivatives.d"
    COMMENT "Differentiating ${arg_SOURCE}"
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_command(
    OUTPUT "${runtime}"
    COMMAND "${OVERBAR_EXECUTABLE}" runtime ${language_word} -o "${runtime}"
    DEPENDS "${OVERBAR_EXECUTABLE}"
    VERBATIM)
  target_sources(${target} PRIVATE ${outputs} "${header}" "${runtime}")
  target_include_directories(${target} PRIVATE "${folder}")
  if(language STREQUAL C AND UNIX)
    target_link_libraries(${target} PRIVATE m)
  endif()
endfunction()
