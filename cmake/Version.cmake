# Writes the tool's version and commit to OUT if they changed. Run as a script.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
  set(commit "unknown")
endif()
set(text "#include \"cli/version.h\"\n\nnamespace edgenpu::cli {\n
const char* const kVersion = \"${VERSION}\";\nconst char* const kCommit = \"${commit}\";\n\n}  // namespace edgenpu::cli\n")
set(old "")
if(EXISTS ${OUT})
  file(READ ${OUT} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${OUT} "${text}")
endif()
