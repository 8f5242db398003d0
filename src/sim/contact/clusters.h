// Clusters: pieces of a body that touch each other, directly or through other pieces.
#pragma once
#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

struct Contact;
struct ContactCuda;

/// Writes a root for each piece of the body (element/pieces.h), root [count + 1]; pieces with equal roots touch in the
/// last evaluated state, or rub in this step. The root is the smallest piece of its cluster. Entry `count` stands for
/// all obstacles. Returns false if nothing touches; the roots are then not written.
bool contact_clusters(const struct Contact *contact, int *root, int count);

/// As contact_clusters, with root [count + 1] on the GPU: queues the work on the stream. *touches is the result.
bool contact_cuda_clusters(const struct ContactCuda *contact, int *root, int count, bool *touches, Stream stream,
                           Error *error);

#ifdef __cplusplus
}
#endif
