# Included by ctest after it has discovered the tests of the gtest programs: gives every test its folder and one of the
# labels quick (all of them in less than a minute), full and soak.
set(full_tests
    "BrainCrash\\..*kill_9" "BrainCrash\\.so_it_is_with" "BrowserPage\\." "Builtin\\.scikit_learn" "CliPaper\\."
    "CliPredict\\.memory_does_not_grow" "BrainFileTest\\.a_flipped_bit"
    "Gemm\\.products_that_threads" "ManyConnections\\.ten_thousand" "ServeCrash\\." "ServeTls\\."
    "RequestTexts\\." "ServerStates\\.copies" "SlowClients\\." "damaged_f")
list(JOIN full_tests "|" full_tests)
foreach(folder core data lab cli contract golden regression integration server browser capi memory fuzz_corpus)
  foreach(test IN LISTS fearnet_${folder}_tests_TESTS)
    set(level quick)
    if(test MATCHES "${full_tests}")
      set(level full)
    endif()
    set_tests_properties("${test}" PROPERTIES LABELS "${folder};${level}")
  endforeach()
  foreach(test IN LISTS fearnet_${folder}_soak_TESTS)
    set_tests_properties("${test}" PROPERTIES LABELS "${folder};soak" ENVIRONMENT "OMP_NUM_THREADS=1;FEARNET_SOAK=1")
  endforeach()
endforeach()
