// Clusters of pieces that touch. A piece is a connected part of the mesh (element/pieces.h). Pieces that touch each
// other, directly or through other pieces, form a cluster.
#pragma once
#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

struct Contact;
struct ContactCuda;

/// Finds the clusters of `count` pieces, the connected parts of the mesh. root[k] becomes the smallest piece number in
/// the cluster of piece k, so pieces of one cluster have equal values. All obstacles together count as piece number
/// `count`, so `root` has `count` + 1 elements. Two pieces touch if a contact pair between them pushed when
/// contact_forces was called last, or has friction in this time step. Returns false, with `root` undefined, if no pair
/// touches.
bool contact_clusters(const struct Contact *contact, int *root, int count);

/// The version of contact_clusters for the GPU. `root` [count + 1] is in the GPU's memory, and the work is queued on
/// the stream. Stores in *touches the value that contact_clusters returns.
bool contact_cuda_clusters(const struct ContactCuda *contact, int *root, int count, bool *touches, Stream stream,
                           Error *error);

#ifdef __cplusplus
}
#endif
