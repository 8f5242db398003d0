// Functions that libFuzzer calls: once at the start, then for each input. The environment variable PLIANT_FUZZ, which
// scripts/fuzz sets, names the format of the inputs.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "target.h"

int LLVMFuzzerInitialize(int *count, char ***words);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *count, char ***words) {
  (void)count, (void)words;
  const char *format = getenv("PLIANT_FUZZ");
  if (!format || !fuzz_choose(format)) {
    fprintf(stderr, "PLIANT_FUZZ must name a format, such as msh\n");
    exit(2);
  }
  if (!freopen("/dev/null", "w", stdout)) exit(2);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_one(data, size);
  return 0;
}
