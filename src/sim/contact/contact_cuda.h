// Contact of a surface with itself on the GPU, the twin of contact.h by the same arithmetic (candidate.h, barrier.h,
// advance.h, sliding.h), in double precision. Pairs are found by the CPU's trees, which are refitted there, into the
// same list in the same order; what they do is added up by nodes, each node's pairs in that order: the same bits in
// every run, and whatever lists there were before. Forces between nodes never meet in atomics.
//
// The host waits where it must know: whether a list of pairs serves (contact_cuda_settle, once a step), how far a step
// may go (contact_cuda_bound), how long a new list is. All else is queued.
#pragma once
#include "device/device.h"
#include "sim/contact/anchors.h"
#include "sim/contact/barrier.h"
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

// A tree of boxes of up to 32 members each, which a warp looks at together, cut out of a BoxTree: the lowest groups are
// of items, those of a level above of groups, all in the tree's order. Arrays on the GPU.
enum { TREE_LEVELS = 8 };
typedef struct CudaTree {
  int item_count, level_count;
  int level_start[TREE_LEVELS + 1];  // a level's groups, from the lowest up
  struct TreeItem *item;             // [item_count], by leaves of the BoxTree
  struct BoxGroup *group;            // [level_start[level_count]]
  struct SweptBox *box;              // of each of these
  struct SweptBox *swept;            // [item_count], as `item`
} CudaTree;

// Entries of pairs by the skin's vertices, but obstacles': pair * 4 + corner. A row's are the first count[v] from
// start[v] on, in the pairs' order; of what slides the first couple_count[v], which join the vertex to others, before
// those that do not, which meet an obstacle.
typedef struct EntryRows {
  int *start;                 // [vertex_count + 1]
  int *entry;                 // [4 pairs]
  int *count, *couple_count;  // [vertex_count]
} EntryRows;

// What a pair adds to the tangent: w_i w_j B for its nodes i and j.
typedef struct PairTangent {
  int node[4];
  double weight[4];
  double B[6];  // N/m: xx, yy, zz, xy, xz, yz
} PairTangent;

// What a state's pairs come to.
typedef struct ContactSums {
  double energy, friction_energy;  // J
  int64_t count;                   // of pairs that touch
} ContactSums;

// Arrays on the GPU but for what says otherwise.
typedef struct ContactCuda {
  const struct Contact *host;  // whose skin this is, and what settings change
  int node_count, vertex_count, edge_count;
  int *vertex, *vertex_of;  // [vertex_count] nodes; [node_count] places in it, -1: inside
  double *vertex_area, *edge_area;
  double *factor, (*X)[3];  // [node_count]
  int *component;
  // obstacles: their nodes come from body_nodes on; see Skin and Contact
  int body_nodes, active_nodes;
  double *friction;                          // [node_count]
  double (*rigid)[3], (*rigid_velocity)[3];  // [node_count - body_nodes] m and m/s
  struct UploadRing *rigid_uploads;          // of both; owned
  CudaTree triangles, edges, vertices;       // the last has groups of items alone, and no boxes
  // of states, where nodes are on the surface
  double (*x)[3], (*way)[3], (*to)[3];  // [node_count] m
  double (*trial)[3];                   // [node_count] m: where a recorded step goes to, as rounded
  double (*force)[3], *energy;          // [vertex_count] N and J, of contact_cuda_forces
  double (*own)[6];                     // [vertex_count] s N/m, nodes' own blocks of contact_cuda_tangent
  // the list of pairs: see nearby.h
  double (*from)[3], (*list_way)[3];  // [node_count] m
  double slack, *list_slack;          // m: of the next list, and of this one, on the GPU
  bool found;
  int64_t searches;
  double search_s;
  int pair_count, pair_room;
  ContactPair *pair;
  EntryRows list;                   // of all of them
  int *entry_place;                 // [4 pair_room], where it has each of their entries; -1: nowhere
  int *offset;                      // [vertex_count + edge_count + 1]: where a query's pairs begin
  struct PairCandidate *candidate;  // [candidate_room]
  int candidate_room;
  ContactPair *loose;                           // [pair_room]: pairs as they are found, in any order,
  struct LoosePlace *loose_place;               // [pair_room] and where they belong
  struct FoundCount *found_count, *found_told;  // the second pinned
  struct SearchTold *search_told;               // pinned: what searches of recorded steps have come to
  int searches_heard;                           // of these
  int *unsorted;                                // [4 pair_room], of a search
  void *scan;                                   // CUB's own
  size_t scan_bytes;
  // of the last state looked at
  struct CudaTouch *touch;  // [pair_room]
  uint8_t *touches;         // [4 pair_room] whether the pairs of its entries do
  struct ForceSums *sums;
  ContactSums *told;  // pinned, there after stream_sync
  // friction in this step
  double (*start)[3];  // [node_count] m
  int sliding_count, sliding_room;
  // of recorded work, where the host does not know how many pairs there are: sliding_count, on the GPU; else NULL
  const int *sliding_now;
  Sliding *sliding;
  int *slides;           // [sliding_room] whether each does
  struct CudaRub *rubs;  // [sliding_room] in the state looked at last
  EntryRows sliding_rows;
  double still;
  bool host_slides;               // a restored state: the host's list is of the last step, until the next one begins
  int *slide_count, *slide_told;  // how many do; the second pinned, as `told`
  // the tangent
  PairTangent *tangent, *sliding_tangent;  // [pair_room], [sliding_room]
  uint8_t *in_tangent;                     // [4 pair_room] as `touches`: FLAG_COUPLES or FLAG_ALONE
  double (*led)[3], (*sliding_led)[3];     // [pair_room], [sliding_room] m/s: as of Coupling
  TermEntry *entries, *sliding_entries;    // [4 pair_room], [4 sliding_room], where `list` and sliding_rows have them
  int *tangent_count;                      // [vertex_count] of the former, those that join it to others
  int *tangent_slides;                     // [vertex_count] of what slides, all
  int *place;                              // [vertex_count + 1] of vertices among the rows
  TermRow *row;                            // [vertex_count]
  int *row_of;                             // [node_count], see TermRows
  TermRows *rows, *rows_host;              // on the GPU, and what was sent there
  bool empty;                              // it has no rows
  struct BoundState *bound, *bound_told;   // the second pinned
  // a line search's look at energies
  double *partial, *energies;  // [3 CONTACT_PARTS] and [3]
  double *energies_told;       // pinned [3]
} ContactCuda;

enum { CONTACT_PARTS = 512 };  // partial sums of a loop over nodes

// For how many primitives whose boxes come near there is room at first, for each of the surface's vertices and edges.
enum { CONTACT_CANDIDATES = 16 };

/// Of a host's contact, which outlives it, and whose anchors are on the GPU from now on. Fails for lack of memory.
bool contact_cuda_create(ContactCuda **contact, struct Contact *host, Error *error);
void contact_cuda_destroy(ContactCuda *contact);  // takes NULL

/// Takes obstacles' places and velocities, and which count, from the host's contact.
bool contact_cuda_place_rigid(ContactCuda *c, Stream stream, Error *error);

/// The list of pairs serves c->x from now on. Waits.
bool contact_cuda_settle(ContactCuda *c, Stream stream, Error *error);

/// Pairs for `scale` times the ways c->way from c->x; NULL for `way`: none. Waits.
bool contact_cuda_find(ContactCuda *c, const double (*way)[3], double scale, Stream stream, Error *error);

/// A step of this duration begins at c->x, for which the list serves: what slides in it.
bool contact_cuda_begin(ContactCuda *c, double duration, Stream stream, Error *error);

/// A step, or a part of one, has ended at c->x: what has slid in it sticks from there. The host has waited since the
/// step began; waits where it makes room.
bool contact_cuda_stick(ContactCuda *c, Anchors *anchors, Stream stream, Error *error);

/// What slides in the step, into the host's contact, as contact_begin leaves it there. Waits.
bool contact_cuda_tell_sliding(const ContactCuda *c, struct Contact *host, Stream stream, Error *error);

/// The largest share of the ways c->way from c->x that brings no pair together, positions being rounded to `rounding`
/// of themselves; the list then serves all of it. Waits.
bool contact_cuda_bound(ContactCuda *c, double rounding, double *share, Stream stream, Error *error);

// What a recorded step (dynamics/step_graph.h) has in place of the host's looks; these queue alone.

/// *free, on the GPU, becomes 1 unless pairs touch at c->x, for which the list serves; then 0. The tangent has no rows
/// from then on.
bool contact_cuda_queue_begin(ContactCuda *c, int **free, Stream stream, Error *error);

typedef struct ContactLook {
  double rounding;  // as of contact_cuda_bound
  int *wanted;      // on the GPU: whether to look at all
  double *share;    // on the GPU, or NULL
  bool touches;     // something touches: for lists alone
} ContactLook;

/// Where *wanted is not 0: what contact_cuda_bound finds out by the list that there is. With `share` that comes there;
/// with NULL nothing touches yet, and *wanted becomes 0 where ways are not all free, or c->trial touches. So it does
/// where ways are longer than the body, or without `share` than is looked at in one, or where there is no room for
/// pairs: then the host is to look. The graph's condition `search` becomes whether another list is needed first: then
/// contact_cuda_queue_search, which makes it and does the same. With `share`, `again` becomes whether it has looked at
/// the first part of long ways, and found nothing: then another one, of all of them. 0: there is none.
bool contact_cuda_queue_bound(ContactCuda *c, const ContactLook *look, uint64_t search, Stream stream, Error *error);
bool contact_cuda_queue_search(ContactCuda *c, const ContactLook *look, uint64_t again, Stream stream, Error *error);

/// What contact_cuda_forces and contact_cuda_tangent do, `sliding` on the GPU being sliding_count, after
/// contact_cuda_prepare, which waits where it must. What the forces come to is there, and is not told.
bool contact_cuda_prepare(ContactCuda *c, Stream stream, Error *error);
const ContactSums *contact_cuda_sums(const ContactCuda *c);
bool contact_cuda_queue_forces(const ContactCuda *c, const int *sliding, Stream stream, Error *error);
bool contact_cuda_queue_tangent(const ContactCuda *c, const int *sliding, double scale, Stream stream, Error *error);

/// Once all that has ended: takes over which list there is; `touches` as in ContactLook. A `step` is of states that do
/// not touch.
bool contact_cuda_heard(ContactCuda *c, bool step, bool touches, Error *error);

/// c->force and energy, and `told`, at c->x, for which the list serves.
bool contact_cuda_forces(ContactCuda *c, Stream stream, Error *error);

/// The tangent at c->x, likewise, times `scale`: rows and c->own.
bool contact_cuda_tangent(ContactCuda *c, double scale, Stream stream, Error *error);

/// No pair can touch, and none slides.
static inline bool contact_cuda_idle(const ContactCuda *c) {
  return c->pair_count == 0 && c->sliding_count == 0;
}

/// Whether any pair touches in the state looked at last, or slides.
static inline bool contact_cuda_touches(const ContactCuda *c) {
  return c->told->count > 0 || (c->sliding_count > 0 && *c->slide_told > 0);
}

/// For what allocates: room for `count` items of `size` bytes in place of *items, whose content is lost.
bool contact_cuda_renew(void **items, int64_t count, size_t size, Error *error);

#ifdef __cplusplus
}
#endif
