// Checks that an MP4 file is complete. The program that wrote it may have failed although it reports success.
#pragma once
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/// Checks that the film has the boxes ftyp, moov and mdat, and that the sizes of the boxes fit the size of the file.
/// Also checks that its index (in moov) lists this number of pictures, all within the data. Returns NULL if so,
/// otherwise the fault as the second half of a sentence. Reads only the index.
const char *mp4_fault(FILE *file, int64_t pictures);
