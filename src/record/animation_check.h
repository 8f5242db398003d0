// Tests if an animated picture, GIF or WebP, is complete, since the program that wrote it may have failed without an
// error.
#pragma once
#include <stdint.h>
#include <stdio.h>

/// Test if a file is complete. It must contain at least one picture and at most `pictures`, since an encoder may join
/// equal pictures. Return NULL or, if the file is not complete, the fault as the end of a sentence.
const char *gif_fault(FILE *file, int64_t pictures);
const char *webp_fault(FILE *file, int64_t pictures);
