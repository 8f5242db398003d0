// Sorts and prefix sums on the GPU, by CUB. One source contains all of them, since CUB's headers take nvcc long to
// compile.
#pragma once
#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Computes the number of bytes of `scratch` that device_sort and device_add_up need for `count` items.
bool device_sort_bytes(bool wide, int count, size_t *bytes, Error *error);
bool device_add_up_bytes(int count, size_t *bytes, Error *error);

/// Sorts items by their keys, ascending; items with equal keys keep their order. Item from[k] has key[k], k < count.
/// Writes the sorted items to `to` and the sorted keys to `sorted`. Keys have 32 bits or, with `wide`, 64 bits; only
/// their lowest `key_bits` count. Queued on the stream.
bool device_sort(void *scratch, size_t bytes, bool wide, const void *key, void *sorted, const int *from, int *to,
                 int count, int key_bits, Stream stream, Error *error);

/// Prefix sums: to[k] = from[0] + ... + from[k], or, with `before`, from[0] + ... + from[k - 1]. `to` may be equal to
/// `from`. Queued on the stream.
bool device_add_up(void *scratch, size_t bytes, bool before, const int *from, int *to, int count, Stream stream,
                   Error *error);

#ifdef __cplusplus
}
#endif
