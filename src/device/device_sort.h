// Sorts and running sums on the GPU, by CUB. One source has them all, since CUB's headers take nvcc long to compile.
#pragma once
#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Bytes of scratch that these want for so many items.
bool device_sort_bytes(bool wide, int count, size_t *bytes, Error *error);
bool device_add_up_bytes(int count, size_t *bytes, Error *error);

/// Sorts `from` [count] by the lowest `key_bits` of their keys, ascending, equal ones in the order that they have, and
/// keys with them: `to` and `sorted`. Keys are of 32 or, with `wide`, of 64 bits. Queued on the stream.
bool device_sort(void *scratch, size_t bytes, bool wide, const void *key, void *sorted, const int *from, int *to,
                 int count, int key_bits, Stream stream, Error *error);

/// to[k] = the sum of from[0 .. k], with `before` of those before k alone. `to` may be `from`. Queued on the stream.
bool device_add_up(void *scratch, size_t bytes, bool before, const int *from, int *to, int count, Stream stream,
                   Error *error);

#ifdef __cplusplus
}
#endif
