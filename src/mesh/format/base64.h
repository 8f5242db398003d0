// Base64, as VTU files have it.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/// Decodes `count` bytes from the text at..end, blanks between characters left out, and returns where the run of
/// characters that held them ends, padding included; NULL where the text is too short or holds something else, or a
/// signal came.
const char *base64_decode(const char *at, const char *end, unsigned char *out, int64_t count);

/// Writes bytes in base64, with padding, without line ends.
void base64_write(FILE *file, const unsigned char *bytes, size_t count);
