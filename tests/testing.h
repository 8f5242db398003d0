// Includes cmocka with the headers that it needs, and has the checks that all tests share.
#pragma once
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"

// The test fails with the message of its variable `error` if the call returns false or NULL.
#define MUST(call)                              \
  do {                                          \
    if (!(call)) fail_msg("%s", error.message); \
  } while (0)

// The test is skipped: meson counts a program with this exit status as skipped.
enum { EXIT_SKIPPED = 77 };
