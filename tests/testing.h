// Includes cmocka and the headers that it needs. Defines the checks that all tests share.
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

// Fails the test with error.message, a local variable of the caller, if the call returns false or NULL.
#define MUST(call)                              \
  do {                                          \
    if (!(call)) fail_msg("%s", error.message); \
  } while (0)

// Exit status of a program whose tests cannot run here. Meson then counts the program as skipped.
enum { EXIT_SKIPPED = 77 };
