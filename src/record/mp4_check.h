// Tests if an MP4 file is complete, since the program that wrote it may have failed without an error.
#pragma once
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/// Tests a film: its boxes ftyp, moov and mdat fit into the file, and the index in moov lists this number of pictures
/// within the data. Returns NULL, or the fault as the end of a sentence. Reads only the index.
const char *mp4_fault(FILE *file, int64_t pictures);
