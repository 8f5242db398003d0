// Contact of a surface with itself on the GPU: the CUDA version of contact.h with the same arithmetic (candidate.h,
// barrier.h, advance.h, sliding.h), in double precision. Pairs are found with the CPU's trees, which are refitted on
// the GPU, and listed in the CPU's order. Forces are summed by node, each node's pairs in this order, without atomics:
// results have equal bits in every run, whatever lists were used before.
//
// The host waits only for values that it needs: the validity of the list of pairs (contact_cuda_settle, once a step),
// the length of a step (contact_cuda_bound), and the length of a new list. All other work is queued.
#pragma once
#include "device/device.h"
#include "sim/contact/anchors.h"
#include "sim/contact/barrier.h"
#include "sim/contact/skin.h"
#include "sim/operator/term_rows.h"

#ifdef __cplusplus
extern "C" {
#endif

struct Contact;
struct BoxGroup;
struct TreeItem;
struct PairCandidate;
struct FoundCount;
struct SweptBox;
struct CudaTouch;
struct CudaRub;
struct BoundState;
struct ForceSums;

// A tree of boxes with up to 32 members each, which a warp tests at once, cut out of a BoxTree. The lowest groups hold
// items, groups of a higher level hold groups, in the tree's order. Arrays on the GPU.
enum { TREE_LEVELS = 8 };
typedef struct CudaTree {
  int item_count, level_count;
  int level_start[TREE_LEVELS + 1];  // first group of each level, from the lowest up
  struct TreeItem *item;             // [item_count], by leaves of the BoxTree
  struct BoxGroup *group;            // [level_start[level_count]]
  struct SweptBox *box;              // [groups], box of each group
  struct SweptBox *swept;            // [item_count], box of each item
} CudaTree;

// Entries (pair * 4 + corner) of pairs by vertex of the skin, without obstacles' nodes. Row v has count[v] entries from
// start[v] on, in the order of pairs. In rows of sliding pairs the first couple_count[v] entries couple the vertex to
// other vertices of the body; the rest belongs to pairs with an obstacle.
typedef struct EntryRows {
  int *start;                 // [vertex_count + 1]
  int *entry;                 // [4 pairs]
  int *count, *couple_count;  // [vertex_count]
} EntryRows;

// Contribution of a pair to the tangent: block w_i w_j B for its nodes i and j.
typedef struct PairTangent {
  int node[4];
  double weight[4];
  double B[6];  // N/m: xx, yy, zz, xy, xz, yz
} PairTangent;

// Sums over the pairs of a state.
typedef struct ContactSums {
  double energy, friction_energy;  // J
  int64_t count;                   // pairs that touch
} ContactSums;

// Arrays are on the GPU unless stated otherwise.
typedef struct ContactCuda {
  const struct Contact *host;  // contact on the host: skin and settings
  int node_count, vertex_count, edge_count;
  int *vertex, *vertex_of;  // [vertex_count] nodes; [node_count] indices into `vertex`, -1: inner node
  double *vertex_area, *edge_area;
  double *factor, (*X)[3];  // [node_count]
  int *component;
  // obstacles: their nodes come from body_nodes on; see Skin and Contact
  int body_nodes, active_nodes;
  int body_vertices, active_planes, plane[PLANES_MAX];
  double *friction;                          // [node_count]
  double (*rigid)[3], (*rigid_velocity)[3];  // [node_count - body_nodes] m and m/s
  struct UploadRing *rigid_uploads;          // staging buffers of both; owned
  CudaTree triangles, edges, vertices;       // `vertices` has no boxes; searches use only its lowest groups
  // states; only nodes of the surface are used
  double (*x)[3], (*displacement)[3], (*to)[3];  // [node_count] m
  double (*trial)[3];                            // [node_count] m: end of a recorded step, as rounded
  double (*force)[3], *energy;                   // [vertex_count] N and J, results of contact_cuda_forces
  double (*diagonal_blocks)[6];                  // [vertex_count] s N/m, diagonal blocks of contact_cuda_tangent
  // the list of pairs: see nearby.h
  double (*from)[3], (*list_path)[3];  // [node_count] m
  double slack, *list_slack;           // m: of the next list; and of the current one, on the GPU
  bool found;
  int64_t searches;
  double search_s;
  int pair_count, pair_capacity;
  ContactPair *pair;
  EntryRows list;                   // entries of all listed pairs
  int *entry_index;                 // [4 pair_capacity], index of each entry in `list`; -1: none
  int *offset;                      // [vertex_count + edge_count + 1]: first pair of each query
  struct PairCandidate *candidate;  // [candidate_capacity]
  int candidate_capacity;
  ContactPair *loose;                           // [pair_capacity]: pairs as they are found, in any order
  struct LooseKey *loose_key;                   // [pair_capacity]: their query, order and item
  struct FoundCount *found_count, *found_host;  // found_host is pinned
  struct SearchReport *search_host;             // pinned: results of searches in recorded steps
  int searches_received;                        // number of these that were processed
  int *unsorted;                                // [4 pair_capacity], work array of a search
  void *scan;                                   // work array of CUB
  size_t scan_bytes;
  // results of the last evaluated state
  struct CudaTouch *touch;  // [pair_capacity]
  uint8_t *touches;         // [4 pair_capacity] flag of each entry whose pair touches
  struct ForceSums *sums;
  ContactSums *on_host;  // pinned, valid after stream_sync
  // friction in this step
  double (*start)[3];  // [node_count] m
  int sliding_count, sliding_capacity;
  // for recorded work, in which the number of pairs is only on the GPU: sliding_count, on the GPU; else NULL
  const int *sliding_now;
  Sliding *sliding;
  int *slides;           // [sliding_capacity] 1: the pair slides
  struct CudaRub *rubs;  // [sliding_capacity] forces in the last evaluated state
  EntryRows sliding_rows;
  double still;
  bool host_slides;               // after a state is restored: the host's list is that of the last step, until the next
                                  // step begins
  int *slide_count, *slide_host;  // number of sliding pairs; slide_host is pinned, as `on_host`
  // the tangent
  PairTangent *tangent, *sliding_tangent;  // [pair_capacity], [sliding_capacity]
  uint8_t *in_tangent;                     // [4 pair_capacity] like `touches`: FLAG_COUPLES or FLAG_ALONE
  double (*led)[3], (*sliding_led)[3];     // [pair_capacity], [sliding_capacity] m/s: see Coupling
  TermEntry *entries, *sliding_entries;   // [4 pair_capacity], [4 sliding_capacity], indexed as `list` and sliding_rows
  int *tangent_count;                     // [vertex_count] number of `entries` that couple the vertex to others
  int *tangent_slides;                    // [vertex_count] number of entries of sliding pairs
  int *row_index;                         // [vertex_count + 1] index of each vertex among the rows
  TermRow *row;                           // [vertex_count]
  int *row_of;                            // [node_count], see TermRows
  TermRows *rows, *rows_host;             // on the GPU, and the copy that was sent there
  bool empty;                             // the tangent has no rows
  struct BoundState *bound, *bound_host;  // bound_host is pinned
  // energies of a line search
  double *partial, *energies;  // [3 CONTACT_PARTS] and [3]
  double *energies_host;       // pinned [3]
} ContactCuda;

enum { CONTACT_PARTS = 512 };  // partial sums of a loop over nodes

// Initial capacity for primitives with nearby boxes, for each vertex and edge of the surface.
enum { CONTACT_CANDIDATES = 16 };

/// Creates contact on the GPU for a host's contact, which must outlive it and whose anchors move to the GPU. Fails if
/// memory runs out.
bool contact_cuda_create(ContactCuda **contact, struct Contact *host, Error *error);
void contact_cuda_destroy(ContactCuda *contact);  // accepts NULL

/// Uploads obstacles' positions and velocities, and active_nodes, from the host's contact.
bool contact_cuda_place_rigid(ContactCuda *c, Stream stream, Error *error);

/// Makes the list of pairs valid at c->x. Waits.
bool contact_cuda_settle(ContactCuda *c, Stream stream, Error *error);

/// Searches the pairs for `scale` times the displacements `displacement` from c->x; NULL: no displacements. Waits.
bool contact_cuda_find(ContactCuda *c, const double (*displacement)[3], double scale, Stream stream, Error *error);

/// Begins a step of this duration at c->x, for which the list must be valid: lists the sliding pairs.
bool contact_cuda_begin(ContactCuda *c, double duration, Stream stream, Error *error);

/// Ends a step or substep at c->x: pairs that slid stick from there. The host must have waited since the step began;
/// waits if it allocates.
bool contact_cuda_stick(ContactCuda *c, Anchors *anchors, Stream stream, Error *error);

/// Copies the sliding pairs into the host's contact, as contact_begin leaves them. Waits.
bool contact_cuda_report_sliding(const ContactCuda *c, struct Contact *host, Stream stream, Error *error);

/// Computes the largest fraction of the displacements c->displacement from c->x in which no pair collides; positions
/// have the relative rounding `rounding`. The list is then valid for this fraction. Waits.
bool contact_cuda_bound(ContactCuda *c, double rounding, double *fraction, Stream stream, Error *error);

// Functions for recorded steps (dynamics/step_graph.h), which replace functions that wait; they only queue work.

/// Queues: *free, on the GPU, becomes 1 if no pair touches at c->x, for which the list must be valid; else 0. The
/// tangent then has no rows.
bool contact_cuda_queue_begin(ContactCuda *c, int **free, Stream stream, Error *error);

typedef struct ContactQuery {
  double rounding;   // as in contact_cuda_bound
  int *wanted;       // on the GPU; 0: skip the test
  double *fraction;  // on the GPU, or NULL
  bool touches;      // some pair touches: this affects only the length of lists
} ContactQuery;

/// Queues the tests of contact_cuda_bound with the current list, unless *wanted is 0. With `fraction` the result is
/// stored there. Without `fraction` no pair touches yet, and *wanted becomes 0 if the displacements are not entirely
/// free or if c->trial touches. *wanted also becomes 0 if displacements are longer than the body, if (without
/// `fraction`) they are too long for one test, or if the capacity for pairs is too small: the host must then repeat the
/// tests. The graph's condition `search` becomes 1 if another list is needed first. contact_cuda_queue_search then
/// makes it and repeats the tests. With `fraction` its condition `again` becomes 1 after it has tested the first part
/// of long displacements and found them free: another search must then test all of them. `again` 0: there is none.
bool contact_cuda_queue_bound(ContactCuda *c, const ContactQuery *query, uint64_t search, Stream stream, Error *error);
bool contact_cuda_queue_search(ContactCuda *c, const ContactQuery *query, uint64_t again, Stream stream, Error *error);

/// Queue the work of contact_cuda_forces and contact_cuda_tangent, with sliding_count at `sliding` on the GPU.
/// contact_cuda_prepare must run before; it waits if necessary. The sums of the forces stay on the GPU, at
/// contact_cuda_sums.
bool contact_cuda_prepare(ContactCuda *c, Stream stream, Error *error);
const ContactSums *contact_cuda_sums(const ContactCuda *c);
bool contact_cuda_queue_forces(const ContactCuda *c, const int *sliding, Stream stream, Error *error);
bool contact_cuda_queue_tangent(const ContactCuda *c, const int *sliding, double scale, Stream stream, Error *error);

/// Call after all recorded work has ended: takes over the list that it made; `touches` as in ContactQuery. `step`: its
/// states do not touch.
bool contact_cuda_received(ContactCuda *c, bool step, bool touches, Error *error);

/// Computes c->force, c->energy and `on_host` at c->x, for which the list must be valid.
bool contact_cuda_forces(ContactCuda *c, Stream stream, Error *error);

/// Computes the tangent at c->x, for which the list must be valid, times `scale`: rows and c->diagonal_blocks.
bool contact_cuda_tangent(ContactCuda *c, double scale, Stream stream, Error *error);

/// Tests if no pair can touch, and none slides.
static inline bool contact_cuda_idle(const ContactCuda *c) {
  return c->pair_count == 0 && c->sliding_count == 0;
}

/// Tests if any pair touches in the last evaluated state, or slides.
static inline bool contact_cuda_touches(const ContactCuda *c) {
  return c->on_host->count > 0 || (c->sliding_count > 0 && *c->slide_host > 0);
}

/// Reallocates *items for `count` items of `size` bytes; their content is lost.
bool contact_cuda_renew(void **items, int64_t count, size_t size, Error *error);

#ifdef __cplusplus
}
#endif
