// Self-contact on the GPU: the CUDA version of contact.h, which explains pairs, their list, sliding pairs and anchors.
// Both versions use the arithmetic of candidate.h, barrier.h, advance.h and sliding.h, in double. The GPU searches in
// trees of boxes that the CPU created, and lists the pairs in the CPU's order. A node's forces are summed in this
// order, without atomics, so results are bit-identical in every run. Pairs in the list that do not touch do not change
// results.
//
// The host waits for three values only: the result of contact_cuda_settle, once per step; the safe fraction of
// contact_cuda_bound; and the number of pairs of a new list. All other work is queued on the stream.
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

// A tree of bounding boxes on the GPU, made from a BoxTree. It consists of groups with up to 32 members, so that each
// lane of a warp can test one member. Members of the lowest level are items: triangles, edges or vertices, in the order
// of the BoxTree. Members of higher levels are groups of the level below. Arrays are on the GPU.
enum { TREE_LEVELS = 8 };
typedef struct CudaTree {
  int item_count, level_count;       // number of items (primitives of the surface), and number of levels
  int level_start[TREE_LEVELS + 1];  // [level_count + 1], index in `group` of the first group of each level, from the
                                     // lowest up
  struct TreeItem *item;             // [item_count], the items in the order of the BoxTree's leaves
  struct BoxGroup *group;            // [level_start[level_count]], the groups of all levels
  struct SweptBox *box;              // [level_start[level_count]], box of each group during the displacements
  struct SweptBox *swept;            // [item_count], box of each item during its displacement
} CudaTree;

// The pairs at each vertex (node of the surface). If a vertex is node j of a pair, it has the entry 4 * pair + j: 14
// means node 2 of pair 3. Vertex v has the entries entry[start[v]] to entry[start[v] + count[v] - 1], in the order of
// pairs. Nodes of obstacles have no entries. For sliding pairs, the first couple_count[v] entries are pairs with other
// vertices of bodies, and the rest pairs with an obstacle.
typedef struct EntryRows {
  int *start;  // [vertex_count + 1], index in `entry` of each vertex's first entry
  int *entry;  // [4 pairs], the entries of all vertices, one vertex after the other
  // [vertex_count]. count: number of entries of each vertex; couple_count, for sliding pairs only: number of its
  // entries whose pair has other vertices of bodies
  int *count, *couple_count;
} EntryRows;

// A pair's contribution to the tangent: the 3x3 block for nodes i and j of the pair is w_i w_j B, with w their weights.
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

// Contact on the GPU. Arrays are in the GPU's memory unless stated otherwise.
typedef struct ContactCuda {
  const struct Contact *host;  // contact on the host, which has the skin and the settings
  // numbers of nodes (mesh and obstacles), of vertices (nodes on the surface), and of edges of the surface
  int node_count, vertex_count, edge_count;
  int *vertex, *vertex_of;  // vertex [vertex_count]: node of each vertex; vertex_of [node_count]: vertex of each node,
                            // -1: inner node
  // [vertex_count] and [edge_count], m^2: surface area of each vertex and edge, copied from Skin (skin.h)
  double *vertex_area, *edge_area;
  double *factor, (*X)[3];  // [node_count], stiffness factor of each node, and its position at rest, m
  int *component;           // [node_count], number of the connected part of the mesh to which each node belongs; all
                            // obstacles share the last number
  // copies of members of Skin. Nodes from body_nodes on belong to obstacles. Nodes from active_nodes on, and planes
  // from active_planes on, are ignored at present.
  int body_nodes, active_nodes;
  int body_vertices, active_planes, plane[PLANES_MAX];
  double *friction;  // [node_count], coefficient of friction of obstacles' nodes; below 0: the coefficient of the
                     // settings is used
  double (*rigid)[3], (*rigid_velocity)[3];  // [node_count - body_nodes], positions of obstacles' nodes at the start of
                                             // the step, m, and their velocities, m/s
  struct UploadRing *rigid_uploads;          // host buffers from which `rigid` and rigid_velocity are copied to the
                                             // GPU; owned
  CudaTree triangles, edges, vertices;       // trees of the surface's primitives; `vertices` has no boxes: each of its
                                             // lowest groups lists neighbouring vertices
  // [node_count], m; undefined for inner nodes. x: positions. displacement: displacements from x. to: work array,
  // positions after a fraction of the displacements
  double (*x)[3], (*displacement)[3], (*to)[3];
  double (*trial)[3];            // [node_count], m, only in recorded steps (CUDA graphs): Newton's trial state, rounded
                                 // to the body's precision
  double (*force)[3], *energy;   // [vertex_count], N and J: force on each vertex and its share of the energy, from
                                 // contact_cuda_forces
  double (*diagonal_blocks)[6];  // [vertex_count], N/m times the factor `scale` of contact_cuda_tangent: diagonal 3x3
                                 // block of each vertex as xx, yy, zz, xy, xz, yz
  // The list of pairs that may touch (nearby.h). [node_count], m: positions when the list was made, and the
  // displacements that were then predicted
  double (*from)[3], (*list_path)[3];
  double slack, *list_slack;      // m: a list is valid while no node is further than the slack from its predicted path.
                                  // `slack` belongs to the next list, *list_slack on the GPU to the present one
  bool found;                     // true: a search has made a list
  int64_t searches;               // number of searches for pairs so far
  double search_s;                // s, total time of these searches
  int pair_count, pair_capacity;  // number of pairs in the list, and allocated length of its arrays
  ContactPair *pair;              // [pair_count], the pairs that may touch
  EntryRows list;                 // pairs of the list at each vertex
  int *entry_index;               // [4 pair_capacity], element 4 * pair + j: index in list.entry of the entry for node
                                  // j of the pair; -1: none
  // [vertex_count + edge_count + 1], index in `pair` of the first pair of each query. Queries are the vertices and then
  // the edges whose pairs are searched
  int *offset;
  struct PairCandidate *candidate;  // [candidate_capacity], pairs of primitives whose boxes may come near each other,
                                    // which an exact test then decides
  int candidate_capacity;           // allocated length of `candidate`
  ContactPair *loose;               // [pair_capacity], pairs in the order in which threads found them, before they are
                                    // sorted
  struct LooseKey *loose_key;       // [pair_capacity], sort key of each element of `loose`
  // numbers of candidates and pairs that the last search found; found_host: copy in pinned host memory
  struct FoundCount *found_count, *found_host;
  struct SearchReport *search_host;  // pinned: results of searches in recorded steps (CUDA graphs)
  int searches_received;             // number of searches in recorded steps that the host has processed
  int *unsorted;                     // [4 pair_capacity], work array of a search
  void *scan;                        // work array of CUB's prefix sums, scan_bytes long
  size_t scan_bytes;
  struct CudaTouch *touch;              // [pair_capacity], forces of each pair that touches in the last evaluated state
  uint8_t *touches;                     // [4 pair_capacity], for each entry of list.entry: FLAG_COUPLES or FLAG_ALONE
                                        // (contact_kernels.cuh) if its pair touches in the last evaluated state, else 0
  struct ForceSums *sums;               // energies and number of touching pairs in the last evaluated state
  ContactSums *on_host;                 // totals of `sums`, copied to pinned host memory; valid after stream_sync
  double (*start)[3];                   // [node_count] m, positions at the start of the step
  int sliding_count, sliding_capacity;  // number of pairs that may have friction in this step, which is pair_count at
                                        // its start; allocated length of their arrays
  // while work is recorded as a CUDA graph: address on the GPU of sliding_count, which the graph reads; else NULL
  const int *sliding_now;
  Sliding *sliding;               // [sliding_count], friction of each pair; defined where `slides` is 1
  int *slides;                    // [sliding_count], 1: the pair touched at the start of the step, so it has friction
  struct CudaRub *rubs;           // [sliding_capacity], friction forces of each pair in the last evaluated state
  EntryRows sliding_rows;         // for each vertex, its entries of pairs with friction
  double still;                   // m, sliding distance below which friction is smoothed: Contact.still_speed times the
                                  // duration of the step
  bool host_slides;               // true after a state was restored, until the next step begins: the sliding pairs of
                                  // the last step are in Contact.sliding on the host, not here
  int *slide_count, *slide_host;  // number of pairs that have friction in this step: on the GPU, and a copy in pinned
                                  // host memory
  PairTangent *tangent, *sliding_tangent;  // [pair_capacity] and [sliding_capacity], contribution of each pair to the
                                           // tangent
  uint8_t *in_tangent;                     // [4 pair_capacity], for each entry of list.entry: FLAG_COUPLES or
                                           // FLAG_ALONE if its pair is part of the tangent, else 0
  double (*led)[3], (*sliding_led)[3];     // [pair_capacity] and [sliding_capacity], m/s: velocity of each pair's
                                           // distance vector due to moving obstacles (Coupling.led)
  TermEntry *entries, *sliding_entries;    // [4 pair_capacity] and [4 sliding_capacity], in the order of list.entry and
                                           // sliding_rows.entry: off-diagonal blocks of the tangent in the form that
                                           // products read (term_rows.h)
  int *tangent_count;                      // [vertex_count], number of elements of `entries` that couple each vertex to
                                           // others
  int *tangent_slides;                     // [vertex_count], number of elements of sliding_entries of each vertex
  int *row_index;                          // [vertex_count + 1], number of rows of the tangent before each vertex: the
                                           // index in `row` if the vertex has a row
  TermRow *row;                // [vertex_count], rows of the tangent, one for each vertex that it couples to others
  int *row_of;                 // [node_count], index in `row` of each node's row, -1: none
  TermRows *rows, *rows_host;  // number of rows, and addresses of `row`, row_of and the entries, for products: on the
                               // GPU, and a copy on the host
  bool empty;                  // true if no pair couples two nodes of bodies
  // results of the tests for collisions (contact_kernels.cuh); bound_host: copy in pinned host memory
  struct BoundState *bound, *bound_host;
  // J, energies that the line search compares. partial [3 CONTACT_PARTS]: partial sums of three energies over nodes;
  // energies [3]: their totals
  double *partial, *energies;
  double *energies_host;  // [3] J, copy of `energies` in pinned host memory
} ContactCuda;

enum { CONTACT_PARTS = 512 };  // maximum number of partial sums in a loop over nodes

// Initial number of candidates (pairs of primitives to be tested exactly) that a search can store, per vertex and edge
// of the surface.
enum { CONTACT_CANDIDATES = 16 };

/// Creates contact on the GPU from `host`, the contact on the host. `host` must stay valid until contact_cuda_destroy.
/// Moves host->anchors to the GPU. Fails if memory runs out.
bool contact_cuda_create(ContactCuda **contact, struct Contact *host, Error *error);
void contact_cuda_destroy(ContactCuda *contact);  // accepts NULL

/// Copies the positions and velocities of obstacles, and the numbers of active nodes and planes, from the host to the
/// GPU.
bool contact_cuda_place_rigid(ContactCuda *c, Stream stream, Error *error);

/// Makes the list of pairs valid at positions c->x: searches for a new list if the present one is not valid. Waits for
/// the GPU.
bool contact_cuda_settle(ContactCuda *c, Stream stream, Error *error);

/// Makes a new list: searches for the pairs that may touch while nodes move from c->x by `scale` times `displacement`
/// (NULL: nodes do not move). Waits for the GPU.
bool contact_cuda_find(ContactCuda *c, const double (*displacement)[3], double scale, Stream stream, Error *error);

/// Begins a step of `duration`, s, at c->x. Stores the pairs that touch at c->x; only these can have friction in this
/// step. The list of pairs must be valid at c->x.
bool contact_cuda_begin(ContactCuda *c, double duration, Stream stream, Error *error);

/// Ends a step or substep at c->x: stores the anchors of sticking pairs, with which the next step begins. The host must
/// have waited for the stream since contact_cuda_begin. Waits only if it allocates.
bool contact_cuda_stick(ContactCuda *c, Anchors *anchors, Stream stream, Error *error);

/// Copies the sliding pairs from the GPU to host->sliding, in the form in which contact_begin stores them. Waits for
/// the GPU.
bool contact_cuda_report_sliding(const ContactCuda *c, struct Contact *host, Stream stream, Error *error);

/// Computes the safe fraction, 0 to 1, of the displacements c->displacement: nodes can move from c->x by this fraction
/// without a collision of any pair. `rounding` is the relative rounding error of positions. Afterwards the list of
/// pairs is valid for all states up to this fraction. Waits for the GPU.
bool contact_cuda_bound(ContactCuda *c, double rounding, double *fraction, Stream stream, Error *error);

// Functions for steps that are recorded as CUDA graphs (dynamics/step_graph.h). They queue work, and replace functions
// that wait for the GPU, such as contact_cuda_settle and contact_cuda_bound.

/// Queues a test if pairs touch at c->x, where the list of pairs must be valid. *free gets the address on the GPU of
/// the result: 1 if no pair touches, else 0. If no pair touches, the tangent gets no rows.
bool contact_cuda_queue_begin(ContactCuda *c, int **free, Stream stream, Error *error);

// Arguments of a queued test for collisions.
typedef struct ContactQuery {
  double rounding;   // relative rounding error of positions
  int *wanted;       // on the GPU; if *wanted is 0, the test does nothing. The test sets it to 0 if the step cannot
                     // continue
  double *fraction;  // on the GPU: gets the safe fraction of the displacements; or NULL
  bool touches;      // true if a pair touches: a search then makes a list with a larger slack
} ContactQuery;

/// Queue the tests of contact_cuda_bound in a recorded step. If *wanted is 0, they do nothing.
///
/// contact_cuda_queue_bound tests with the present list of pairs. If the list is not valid, it sets the conditional
/// handle `search` of the CUDA graph to 1. The graph then runs the work of contact_cuda_queue_search, which makes a new
/// list and tests with it.
///
/// If query->fraction is not NULL, *fraction gets the safe fraction of the displacements. Of long displacements, only
/// the beginning is tested. If it has no collision, contact_cuda_queue_search sets the conditional handle `again`
/// (unless 0) to 1, so that another search tests the whole displacements.
///
/// If query->fraction is NULL, no pair may touch at the start. *wanted becomes 0 unless the whole displacements are
/// free of collisions and no pair touches at c->trial.
///
/// *wanted also becomes 0 if the host must do the tests: displacements are longer than the body, or too long for one
/// test while query->fraction is NULL, or there are more pairs than the arrays can store.
bool contact_cuda_queue_bound(ContactCuda *c, const ContactQuery *query, uint64_t search, Stream stream, Error *error);
bool contact_cuda_queue_search(ContactCuda *c, const ContactQuery *query, uint64_t again, Stream stream, Error *error);

/// Queue the work of contact_cuda_forces and contact_cuda_tangent. The kernels read the number of sliding pairs from
/// *sliding on the GPU. Before, contact_cuda_prepare must be called, which waits for the GPU. The sums of energies stay
/// on the GPU, at the address that contact_cuda_sums returns.
bool contact_cuda_prepare(ContactCuda *c, Stream stream, Error *error);
const ContactSums *contact_cuda_sums(const ContactCuda *c);
bool contact_cuda_queue_forces(const ContactCuda *c, const int *sliding, Stream stream, Error *error);
bool contact_cuda_queue_tangent(const ContactCuda *c, const int *sliding, double scale, Stream stream, Error *error);

/// Updates the host's numbers after recorded work has ended, since this work may have made a new list of pairs.
/// `touches` is true if a pair touches, as in ContactQuery. `step` is true if the work was a complete time step in
/// which no pair touches.
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

/// Replaces the array *items by a new one of `count` elements of `size` bytes. Does not copy the old elements.
bool contact_cuda_renew(void **items, int64_t count, size_t size, Error *error);

#ifdef __cplusplus
}
#endif
