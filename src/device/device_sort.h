// Sorts and prefix sums on the GPU, by CUB. One source contains all of them, since CUB's headers take nvcc long to
// compile.
#pragma once
#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Number of bytes of `scratch` that device_sort and device_add_up need for `count` items.
bool device_sort_bytes(bool wide, int count, size_t *bytes, Error *error);
bool device_add_up_bytes(int count, size_t *bytes, Error *error);

/// Sorts `from` [count] by the lowest `key_bits` of their keys, ascending and stably, into `to`, and the keys into
/// `sorted`. Keys have 32 or, with `wide`, 64 bits. Queued on the stream.
bool device_sort(void *scratch, size_t bytes, bool wide, const void *key, void *sorted, const int *from, int *to,
                 int count, int key_bits, Stream stream, Error *error);

/// Prefix sums: to[k] = the sum of from[0 .. k], or, with `before`, of from[0 .. k - 1]. `to` may be `from`. Queued on
/// the stream.
bool device_add_up(void *scratch, size_t bytes, bool before, const int *from, int *to, int count, Stream stream,
                   Error *error);

#ifdef __cplusplus
}
#endif
