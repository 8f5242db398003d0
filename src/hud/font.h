// The font of all text in pictures. DejaVu Sans from Debian's fonts-dejavu-core is embedded into the program at build
// time. Its licence is in LICENSE.fonts.
#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the embedded TrueType file and its size. The memory is static.
const unsigned char *font_file(size_t *bytes);

#ifdef __cplusplus
}
#endif
