// Self-contact on the GPU: the CUDA version of contact.h, which explains pairs, their list, sliding pairs and anchors.
// Both versions use the arithmetic of candidate.h, barrier.h, advance.h and sliding.h, in double precision. The GPU
// searches for pairs in trees of boxes that the CPU created, and lists the pairs in the order of the CPU. The forces on
// a node are summed in this order, without atomics. Results are therefore bit-identical in every run. Additional pairs
// in the list, which do not touch, do not change the results.
//
// The host waits only for values that it needs. These are: the result of contact_cuda_settle, once per step; the safe
// fraction from contact_cuda_bound; and the number of pairs of a new list. All other work is queued.
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

// A tree of groups of boxes, made from a BoxTree. A group has up to 32 members, so that a warp can test one member per
// lane. On the lowest level the members are items: triangles, edges or vertices, in the order of the BoxTree. On higher
// levels the members are groups of the level below. Arrays are on the GPU.
enum { TREE_LEVELS = 8 };
typedef struct CudaTree {
  int item_count, level_count;       // number of items (primitives of the surface) in the tree, and number of levels
  int level_start[TREE_LEVELS + 1];  // first group of each level, from the lowest up
  struct TreeItem *item;             // [item_count], in the order of the BoxTree's leaves
  struct BoxGroup *group;            // [level_start[level_count]], the groups of all levels
  struct SweptBox *box;              // [level_start[level_count]], box of each group
  struct SweptBox *swept;            // [item_count], bounds of each item during its displacement
} CudaTree;

// The pairs at each vertex of the skin (node of the surface). If the vertex is node j of a pair, it has the entry 4 *
// pair + j. For example, 14 means node 2 of pair 3. Vertex v has the entries entry[start[v]] to entry[start[v] +
// count[v] - 1], in the order of pairs. Nodes of obstacles have no entries. For sliding pairs, the entries of a vertex
// have two groups. The first couple_count[v] entries are pairs with other vertices of bodies, to which the tangent
// couples v. The rest are pairs with an obstacle.
typedef struct EntryRows {
  int *start;  // [vertex_count + 1], index in `entry` of each vertex's first entry
  int *entry;  // [4 pairs], the entries of all vertices; an entry is 4 * pair + j, for node j of a pair
  // [vertex_count]. count: number of entries of each vertex. couple_count, only for sliding pairs: number of entries
  // whose pair couples the vertex to other vertices
  int *count, *couple_count;
} EntryRows;

// Contribution of a pair to the tangent: the 3x3 block w_i w_j B for its nodes i and j, with w their weights.
typedef struct PairTangent {
  int node[4];       // the four nodes of the pair
  double weight[4];  // weights w of the nearest points (nearest.h); 0 for nodes of obstacles
  double B[6];       // N/m, symmetric 3x3 stiffness of the pair as xx, yy, zz, xy, xz, yz
} PairTangent;

// Sums over all pairs in one state.
typedef struct ContactSums {
  double energy, friction_energy;  // J, energy of the barriers, and potential of friction
  int64_t count;                   // number of pairs that touch
} ContactSums;

// Arrays are on the GPU unless stated otherwise.
typedef struct ContactCuda {
  const struct Contact *host;  // contact on the host, which has the skin and the settings
  // numbers of nodes (of the mesh and of obstacles), of vertices (nodes of the surface), and of edges of the surface
  int node_count, vertex_count, edge_count;
  int *vertex, *vertex_of;  // [vertex_count], node of each vertex; [node_count], vertex of each node, -1: inner node
  // areas, m^2, stiffness factors, positions at rest, m, and connected parts: copies of the members of Skin (skin.h)
  double *vertex_area, *edge_area;
  double *factor, (*X)[3];  // [node_count], stiffness factor of each node, and its position at rest, m
  int *component;           // [node_count], number of the connected part or obstacle of each node
  // Obstacles, whose nodes have the numbers from body_nodes on, as in the structs Skin and Contact.
  int body_nodes, active_nodes;
  int body_vertices, active_planes, plane[PLANES_MAX];
  double *friction;  // [node_count], coefficient of friction of each node of an obstacle; below 0: that of the settings
  double (*rigid)[3], (*rigid_velocity)[3];  // [node_count - body_nodes], positions, m, and velocities, m/s, of
                                             // obstacles' nodes
  struct UploadRing *rigid_uploads;          // buffers in host memory from which `rigid` and rigid_velocity are copied
                                             // to the GPU; owned
  CudaTree triangles, edges, vertices;       // `vertices` has no boxes; each of its lowest groups contains neighbouring
                                             // vertices, which one warp processes together
  // [node_count] m; the values of inner nodes are undefined. x: positions. displacement: displacements from x. to: work
  // array for positions after a fraction of the displacements.
  double (*x)[3], (*displacement)[3], (*to)[3];
  double (*trial)[3];            // [node_count] m, only in recorded steps (CUDA graphs): positions of
                                 // Newton's trial state, rounded to the body's precision
  double (*force)[3], *energy;   // [vertex_count], N and J: results of contact_cuda_forces
  double (*diagonal_blocks)[6];  // [vertex_count] s N/m: diagonal blocks of the tangent, results of
                                 // contact_cuda_tangent
  // The list of pairs that may touch, as in the struct Nearby (nearby.h). from [node_count], m: positions of nodes when
  // the list was made. list_path [node_count], m: displacements that were then predicted.
  double (*from)[3], (*list_path)[3];
  double slack, *list_slack;      // m: a list is valid while no node deviates by more than the slack from its
                                  // predicted displacement. `slack` is for the next list; *list_slack, on the GPU,
                                  // is for the present list
  bool found;                     // true: a search has made a list
  int64_t searches;               // number of searches for pairs so far
  double search_s;                // s, total time of these searches
  int pair_count, pair_capacity;  // number of pairs in the list, and allocated length of its arrays
  ContactPair *pair;              // [pair_count], the pairs that may touch
  EntryRows list;                 // entries (EntryRows) of all pairs in the list, by vertex
  int *entry_index;               // [4 pair_capacity], element 4 * pair + j is the index in list.entry of the entry
                                  // for node j of the pair; -1: none
  // [vertex_count + edge_count + 1]: index of the first pair of each query in the list; a query is a vertex or an edge
  // whose pairs are searched
  int *offset;
  struct PairCandidate *candidate;  // [candidate_capacity], pairs of primitives that a search has still to test exactly
  int candidate_capacity;           // allocated length of `candidate`
  ContactPair *loose;               // [pair_capacity]: found pairs before they are sorted, in arbitrary
                                    // order
  struct LooseKey *loose_key;       // [pair_capacity]: keys by which `loose` is sorted
  // numbers of candidates and pairs that the last search found; found_host: copy in pinned host memory
  struct FoundCount *found_count, *found_host;
  struct SearchReport *search_host;  // pinned: results of searches in recorded steps (CUDA graphs)
  int searches_received;             // number of searches in recorded steps whose results the host has
                                     // processed
  int *unsorted;                     // [4 pair_capacity], work array of a search
  void *scan;                        // work array of CUB's prefix sums
  size_t scan_bytes;                 // bytes of `scan`
  // Results of the last evaluated state: forces and energies of the pairs that touch.
  struct CudaTouch *touch;  // [pair_capacity], forces of each pair that touches
  uint8_t *touches;         // [4 pair_capacity], parallel to list.entry: FLAG_COUPLES or FLAG_ALONE
                            // (contact_kernels.cuh) if the entry's pair touches, else 0
  struct ForceSums *sums;   // energies and number of touching pairs in the last evaluated state
  ContactSums *on_host;     // copy of the sums over all pairs in pinned host memory; valid after stream_sync
  // Friction in this step: pairs that touched at the start of the step (Contact.sliding).
  double (*start)[3];                   // [node_count] m, positions at the start of the step
  int sliding_count, sliding_capacity;  // number of sliding pairs, and allocated length of their arrays
  // While work is recorded as a CUDA graph: address on the GPU of the number of sliding pairs, which the graph reads;
  // else NULL.
  const int *sliding_now;
  Sliding *sliding;               // [sliding_count], the pairs that have friction in this step
  int *slides;                    // [sliding_capacity], 1: the pair has friction in this step
  struct CudaRub *rubs;           // [sliding_capacity], friction forces in the last evaluated state
  EntryRows sliding_rows;         // for each vertex, the entries of its sliding pairs
  double still;                   // m, distance that a point at the speed Contact.still_speed moves in the step
  bool host_slides;               // true after a state was restored, until the next step begins: the sliding pairs of
                                  // the last step are then in the host's Contact, not in this object
  int *slide_count, *slide_host;  // number of pairs that have friction in this step: on the GPU, and a copy in pinned
                                  // host memory
  // The tangent of contact, as rows for products.
  PairTangent *tangent, *sliding_tangent;  // [pair_capacity], [sliding_capacity]
  uint8_t *in_tangent;                     // [4 pair_capacity], parallel to list.entry: FLAG_COUPLES or FLAG_ALONE if
                                           // the entry's pair is part of the tangent, else 0
  double (*led)[3], (*sliding_led)[3];     // [pair_capacity], [sliding_capacity] m/s: velocity of each pair's distance
                                           // vector due to moving obstacles, as Coupling.led
  TermEntry *entries, *sliding_entries;    // [4 pair_capacity], [4 sliding_capacity]: contributions of pairs to the
                                           // tangent, in the form that products with the tangent read; element k
                                           // belongs to element k of list.entry or sliding_rows.entry
  int *tangent_count;                      // [vertex_count], number of elements of `entries` that couple the vertex to
                                           // other vertices
  int *tangent_slides;                     // [vertex_count], number of elements of sliding_entries that couple the
                                           // vertex to other vertices
  int *row_index;                          // [vertex_count + 1], index in `row` of each vertex that has a row
  TermRow *row;  // [vertex_count], rows of the tangent: one for each vertex that it couples to other vertices
  int *row_of;   // [node_count], index in `row` of each node, -1: none; see TermRows
  TermRows *rows, *rows_host;  // addresses of the arrays of rows and entries: on the GPU, and the host's
                               // copy
  bool empty;                  // true if no pair couples two nodes of bodies
  // results of tests for collisions (contact_kernels.cuh); bound_host: copy in pinned host memory
  struct BoundState *bound, *bound_host;
  // Energies that the line search compares, J, on the GPU. partial [3 CONTACT_PARTS]: partial sums of three energies
  // over nodes. energies [3]: their totals.
  double *partial, *energies;
  double *energies_host;  // [3] J, copy of `energies` in pinned host memory
} ContactCuda;

enum { CONTACT_PARTS = 512 };  // maximum number of partial sums in a loop over nodes

// Initial capacity of ContactCuda.candidate, per vertex and edge of the surface. A candidate is a pair of primitives
// that a search has still to test exactly.
enum { CONTACT_CANDIDATES = 16 };

/// Creates contact on the GPU from `host`, the contact on the host. `host` must stay valid until contact_cuda_destroy.
/// Moves host->anchors to the GPU. Fails if memory runs out.
bool contact_cuda_create(ContactCuda **contact, struct Contact *host, Error *error);
void contact_cuda_destroy(ContactCuda *contact);  // accepts NULL

/// Copies positions and velocities of obstacles, and active_nodes, from the host's contact to the GPU.
bool contact_cuda_place_rigid(ContactCuda *c, Stream stream, Error *error);

/// Makes the list of pairs valid at positions c->x: keeps the present list if it is valid, else searches for a new one.
/// Waits for the GPU.
bool contact_cuda_settle(ContactCuda *c, Stream stream, Error *error);

/// Makes a new list: searches for the pairs that may touch while nodes move from c->x by `scale` times `displacement`
/// (NULL: nodes do not move). Waits for the GPU.
bool contact_cuda_find(ContactCuda *c, const double (*displacement)[3], double scale, Stream stream, Error *error);

/// Begins a step of `duration` s at c->x. Lists the pairs that touch at c->x; only these can have friction in this
/// step. The list of pairs must be valid at c->x.
bool contact_cuda_begin(ContactCuda *c, double duration, Stream stream, Error *error);

/// Ends a step, or a part of a divided step, at c->x. Stores the anchors of the pairs that had friction; the next step
/// begins with these anchors. The host must have waited for the stream since contact_cuda_begin. Waits only if it
/// allocates.
bool contact_cuda_stick(ContactCuda *c, Anchors *anchors, Stream stream, Error *error);

/// Copies the sliding pairs from the GPU to host->sliding, in the form in which contact_begin stores them. Waits for
/// the GPU.
bool contact_cuda_report_sliding(const ContactCuda *c, struct Contact *host, Stream stream, Error *error);

/// Computes in *fraction the safe fraction of the displacements c->displacement: nodes can move from c->x by this
/// fraction without a collision of any pair. `rounding` is the relative rounding error of positions. Afterwards the
/// list of pairs is valid for all states up to this fraction. Waits for the GPU.
bool contact_cuda_bound(ContactCuda *c, double rounding, double *fraction, Stream stream, Error *error);

// Functions for steps that are recorded as CUDA graphs (dynamics/step_graph.h). They only queue work. They replace
// contact_cuda_settle, contact_cuda_bound and other functions that wait for the GPU.

/// Queues a test if pairs touch at c->x. The list of pairs must be valid at c->x. *free becomes the address on the GPU
/// of the result: 1 if no pair touches, else 0. If no pair touches, the tangent gets no rows.
bool contact_cuda_queue_begin(ContactCuda *c, int **free, Stream stream, Error *error);

typedef struct ContactQuery {
  double rounding;   // relative rounding error of positions
  int *wanted;       // on the GPU. If *wanted is 0, the test is skipped. The test itself may set it to 0
  double *fraction;  // on the GPU: gets the safe fraction of the displacements; or NULL
  bool touches;      // true if a pair touches: searches then use a larger slack, so that the list stays valid for more
                     // states
} ContactQuery;

/// These two functions queue the tests of contact_cuda_bound in a recorded step. If *wanted is 0, the tests do nothing.
///
/// contact_cuda_queue_bound tests with the current list of pairs. If this list is not valid, the test sets the
/// conditional handle `search` of the CUDA graph to 1. The graph then runs the work of contact_cuda_queue_search, which
/// makes a new list and repeats the tests.
///
/// If query->fraction is not NULL, the safe fraction of the displacements is stored at this address. Of long
/// displacements, only the beginning is tested first. If the beginning has no collision, contact_cuda_queue_search sets
/// the conditional handle `again` to 1 (unless the handle is 0). Another search must then test the whole displacements.
///
/// If query->fraction is NULL, the caller knows that no pair touches at the start. *wanted then becomes 0 unless the
/// whole displacements are free of collisions and no pair touches at c->trial.
///
/// *wanted also becomes 0 if the GPU cannot do the tests, so that the host must repeat them. There are three reasons:
/// displacements are longer than the body; query->fraction is NULL and the displacements are too long for one test; or
/// there are more pairs than the arrays can store.
bool contact_cuda_queue_bound(ContactCuda *c, const ContactQuery *query, uint64_t search, Stream stream, Error *error);
bool contact_cuda_queue_search(ContactCuda *c, const ContactQuery *query, uint64_t again, Stream stream, Error *error);

/// contact_cuda_queue_forces and contact_cuda_queue_tangent queue the work of contact_cuda_forces and
/// contact_cuda_tangent. They read the number of sliding pairs from `sliding` on the GPU. contact_cuda_prepare must be
/// called before them; it waits for the GPU if it has to allocate. The sums of energies stay on the GPU, at the address
/// that contact_cuda_sums returns.
bool contact_cuda_prepare(ContactCuda *c, Stream stream, Error *error);
const ContactSums *contact_cuda_sums(const ContactCuda *c);
bool contact_cuda_queue_forces(const ContactCuda *c, const int *sliding, Stream stream, Error *error);
bool contact_cuda_queue_tangent(const ContactCuda *c, const int *sliding, double scale, Stream stream, Error *error);

/// Must be called after recorded work has ended. The work may have made a new list of pairs: copies the number of its
/// pairs to the host. `touches` is true if a pair touches, as in ContactQuery. `step` is true if the work was a
/// complete time step in which no pair touches.
bool contact_cuda_received(ContactCuda *c, bool step, bool touches, Error *error);

/// Computes forces and energies at c->x: c->force, c->energy and c->on_host. The list of pairs must be valid at c->x.
bool contact_cuda_forces(ContactCuda *c, Stream stream, Error *error);

/// Computes `scale` times the tangent at c->x: c->rows and c->diagonal_blocks. The list of pairs must be valid at c->x.
bool contact_cuda_tangent(ContactCuda *c, double scale, Stream stream, Error *error);

/// Returns true if the list has no pairs and no pair has friction.
static inline bool contact_cuda_idle(const ContactCuda *c) {
  return c->pair_count == 0 && c->sliding_count == 0;
}

/// Returns true if a pair touches in the last evaluated state, or has friction in this step.
static inline bool contact_cuda_touches(const ContactCuda *c) {
  return c->on_host->count > 0 || (c->sliding_count > 0 && *c->slide_host > 0);
}

/// Frees *items and allocates `count` new items of `size` bytes, without copying.
bool contact_cuda_renew(void **items, int64_t count, size_t size, Error *error);

#ifdef __cplusplus
}
#endif
