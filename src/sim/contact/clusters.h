// Clusters of pieces that touch. A piece is a connected part of the mesh (element/pieces.h). Pieces that touch each
// other, directly or through other pieces, form a cluster.
#pragma once
#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

struct Contact;
struct ContactCuda;

/// Finds the clusters of `count` pieces. root [count + 1] gets the smallest piece number in each piece's cluster, so
/// that pieces of one cluster have equal roots. All obstacles together count as piece number `count`. Two pieces touch
/// if a contact pair pushed them in the last evaluated state, or if friction acts between them in this step. Returns
/// false, without roots, if nothing touches.
bool contact_clusters(const struct Contact *contact, int *root, int count);

/// As contact_clusters, on the GPU: `root` [count + 1] is in its memory, and the work is queued on the stream. *touches
/// gets the result of contact_clusters.
bool contact_cuda_clusters(const struct ContactCuda *contact, int *root, int count, bool *touches, Stream stream,
                           Error *error);

#ifdef __cplusplus
}
#endif
