// Sorts and prefix sums on the GPU by NVIDIA's library CUB. One source contains all of them, since nvcc takes long to
// compile CUB's headers.
#pragma once
#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Both functions compute the size, in bytes, of the work memory `scratch` for `count` items: device_sort_bytes for a
/// call of device_sort, and device_add_up_bytes for a call of device_add_up.
bool device_sort_bytes(bool wide, int count, size_t *bytes, Error *error);
bool device_add_up_bytes(int count, size_t *bytes, Error *error);

/// Sorts the `count` ints in `from` by their keys, ascending, into `to`. key [count] has the key of each int; the
/// sorted keys are stored in `sorted`. Ints with equal keys keep their order. Keys have 32 bits or, if `wide` is true,
/// 64 bits; only their lowest `key_bits` bits are compared. The work is queued on the stream.
bool device_sort(void *scratch, size_t bytes, bool wide, const void *key, void *sorted, const int *from, int *to,
                 int count, int key_bits, Stream stream, Error *error);

/// Computes prefix sums: to[k] = from[0] + ... + from[k] or, if `before` is true, from[0] + ... + from[k - 1]. `to` may
/// be `from`. The work is queued on the stream.
bool device_add_up(void *scratch, size_t bytes, bool before, const int *from, int *to, int count, Stream stream,
                   Error *error);

#ifdef __cplusplus
}
#endif
