#pragma once
#include <stddef.h>
#include <stdint.h>

// libFuzzer's own loop, for programs that bring their main function (compiler-rt, fuzzer/FuzzerDriver.cpp).
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *data, size_t size));

// One of libFuzzer's own changes to an input (fuzzer/FuzzerInterface.h); returns the new size.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maximum);
