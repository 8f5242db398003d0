// Whether an MP4 file is whole: the program that wrote it may have failed and still report success.
#pragma once
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/// Whether the film has all its boxes (ftyp, moov, mdat, sizes that end with the file) and an index of so many
/// pictures, each of which lies within the data. The fault as a sentence's second half, NULL where there is none. Reads
/// the index alone.
const char *mp4_fault(FILE *file, int64_t pictures);
