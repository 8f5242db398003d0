// How far something that takes long has come, told by the thread that does it and looked at by the one that waits.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// What is being done now, a text that stays valid, and the part of the whole that is behind, 0 to 1.
void progress_tell(const char *what, double part);

/// What was told last; "" before the first time.
const char *progress_now(double *part);

#ifdef __cplusplus
}
#endif
