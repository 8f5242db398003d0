// Tests if an animated picture, GIF or WebP, is complete, since the program that wrote it may have failed without an
// error.
#pragma once
#include <stdint.h>
#include <stdio.h>

/// Test a file that should contain up to `pictures` pictures; an encoder may join equal ones. Return NULL, or the fault
/// as the end of a sentence.
const char *gif_fault(FILE *file, int64_t pictures);
const char *webp_fault(FILE *file, int64_t pictures);
