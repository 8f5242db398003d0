// Checks that an MP4 file is complete: the program that wrote it may fail and still report success.
#pragma once
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/// Checks that the film has all its boxes (ftyp, moov, mdat, sizes that end with the file). Also checks that its index
/// has this number of pictures, each within the data. Returns NULL, or the fault as the second half of a sentence.
/// Reads only the index.
const char *mp4_fault(FILE *file, int64_t pictures);
