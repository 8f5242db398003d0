// Tests if an MP4 file is complete, since the program that wrote it may have failed without an error. The file consists
// of sections, called boxes.
#pragma once
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/// Tests a film. Its sections (boxes) ftyp, moov and mdat must fit into the file. The index in moov must list
/// `pictures` pictures, which together must not be larger than mdat. Each group of consecutive pictures (chunk) must
/// begin within mdat. Returns NULL, or the fault as the end of a sentence. Reads only the index.
const char *mp4_fault(FILE *file, int64_t pictures);
