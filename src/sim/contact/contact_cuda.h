// Self-contact on the GPU: the CUDA version of contact.h, which explains pairs, their list, sliding pairs and anchors.
// Both versions use the arithmetic of candidate.h, barrier.h, advance.h and sliding.h, in double. The GPU searches in
// trees of boxes that the CPU created, and lists the pairs in the CPU's order. The forces on a node are summed in the
// order of the list, without atomics, so results are bit-identical in every run. Pairs in the list that do not touch do
// not change results.
//
// In a time step, the host waits for the GPU at three points: once in contact_cuda_settle; in each call of
// contact_cuda_bound, for the fraction of the displacements that is free of collisions; and in each search, for the
// number of found pairs. All other work of a time step is queued on the stream.
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

// A tree of bounding boxes on the GPU. It is made from a tree on the host, a BoxTree (box_tree.h), and has its items in
// the order of that tree's leaves. It consists of groups with up to 32 members, so that each lane of a warp can test
// one member. Members of the lowest level are items: triangles, edges or vertices of the surface. Members of higher
// levels are groups of the level below. All arrays are on the GPU.
enum { TREE_LEVELS = 8 };  // largest number of levels
typedef struct CudaTree {
  int item_count, level_count;  // number of items (primitives of the surface), and number of levels
  // [level_count + 1], index in `group` of the first group of each level, from the lowest up
  int level_start[TREE_LEVELS + 1];
  struct TreeItem *item;   // [item_count], the items in the order of the BoxTree's leaves
  struct BoxGroup *group;  // [level_start[level_count]], the groups of all levels
  struct SweptBox *box;    // [level_start[level_count]], box of each group during the displacements
  struct SweptBox *swept;  // [item_count], box of each item during its displacement
} CudaTree;

// For each vertex (node of the surface), a list of the pairs that contain it. If the vertex is node j of a pair, the
// list has the entry 4 * pair + j: 14 means node 2 of pair 3. The entries of vertex v begin at entry[start[v]], in the
// order of pairs. Nodes of obstacles have no entries.
//
// In lists of all pairs, the last entry of vertex v is entry[start[v + 1] - 1]. In lists of sliding pairs, v has
// count[v] entries: first couple_count[v] entries of pairs that have several nodes on bodies, then entries of pairs of
// this vertex and an obstacle.
typedef struct EntryRows {
  int *start;  // [vertex_count + 1], index in `entry` of each vertex's first entry
  int *entry;  // [4 pairs], the entries of all vertices, one vertex after the other
  // Only for sliding pairs, else NULL. count [vertex_count]: number of entries of each vertex. couple_count
  // [vertex_count]: number of these entries whose pair has several nodes on bodies.
  int *count, *couple_count;
} EntryRows;

// The terms that one pair adds to the tangent: for nodes i and j of the pair, w_i w_j B is added to their 3x3 block,
// with w_i and w_j the weights of the nodes.
typedef struct PairTangent {
  int node[4];       // the four nodes of the pair; a node of the body replaces each node of an obstacle
  double weight[4];  // weights w of the nearest points (nearest.h); 0 for nodes that replace nodes of obstacles
  // symmetric 3x3 stiffness of the pair as xx, yy, zz, xy, xz, yz: N/m times `scale` of contact_cuda_tangent
  double B[6];
} PairTangent;

// Sums over all pairs, for one set of positions.
typedef struct ContactSums {
  double energy, friction_energy;  // J, energy of the barriers, and potential of friction
  int64_t count;                   // number of pairs that touch
} ContactSums;

// Contact on the GPU. Arrays are in the GPU's memory unless stated otherwise.
typedef struct ContactCuda {
  const struct Contact *host;  // contact on the host, which has the skin and the settings
  // node_count: number of nodes of the body and of obstacles. vertex_count: number of vertices, the nodes on surfaces.
  // edge_count: number of edges of surfaces.
  int node_count, vertex_count, edge_count;
  // vertex [vertex_count]: node of each vertex; vertex_of [node_count]: vertex of each node, -1: inner node
  int *vertex, *vertex_of;
  // [vertex_count] and [edge_count], m^2: surface area of each vertex and edge, copied from Skin (skin.h)
  double *vertex_area, *edge_area;
  double *factor, (*X)[3];  // [node_count], stiffness factor (Skin.factor) and rest position, m, of each node
  // [node_count], number of the connected part of the mesh to which each node belongs; all obstacles share the last
  // number
  int *component;
  // Copies of members of Skin. Nodes from number body_nodes on belong to obstacles. Nodes from number active_nodes on
  // are ignored (the ball with which a user can push, while it is absent). Planes from number active_planes on are
  // ignored, too (the floor, while there is none).
  int body_nodes, active_nodes;
  int body_vertices, active_planes, plane[PLANES_MAX];
  // [node_count], coefficient of friction of the obstacle at each node. It is negative for nodes of the body, and for
  // obstacles without a coefficient: the coefficient of the settings is then used.
  double *friction;
  // [node_count - body_nodes], positions of obstacles' nodes at the start of the time step, m, and their velocities,
  // m/s
  double (*rigid)[3], (*rigid_velocity)[3];
  // host buffers from which `rigid` and rigid_velocity are copied to the GPU; owned
  struct UploadRing *rigid_uploads;
  // Trees of the surface's triangles, edges and vertices. The tree of vertices has no boxes; it only groups neighbours,
  // so that a warp can search for several of them together.
  CudaTree triangles, edges, vertices;
  // [node_count], m; undefined for inner nodes. x: present positions. displacement: planned motion from x. to: work
  // array, positions after a fraction of the displacements.
  double (*x)[3], (*displacement)[3], (*to)[3];
  // [node_count], m, only in time steps that are recorded as CUDA graphs: positions that Newton's present iteration
  // tries, rounded to the body's precision
  double (*trial)[3];
  // Results of contact_cuda_forces. force [vertex_count][3]: force on each vertex, N. energy [vertex_count]: the
  // vertex's part of the energy of contact, J.
  double (*force)[3], *energy;
  // [vertex_count], diagonal 3x3 block of the tangent for each vertex, as xx, yy, zz, xy, xz, yz. Result of
  // contact_cuda_tangent: N/m times its argument `scale`
  double (*diagonal_blocks)[6];
  // Prediction for which the present list of pairs was made, [node_count], m. from: positions when the list was made.
  // list_path: displacements that were predicted.
  double (*from)[3], (*list_path)[3];
  // Slack of a list of pairs, m: the list is valid while no node is further than this distance from the predicted
  // motion. slack: chosen on the host when a list is made. *list_slack: its copy on the GPU, made with the list, which
  // recorded time steps read.
  double slack, *list_slack;
  bool found;                     // true: a search has made a list
  int64_t searches;               // number of searches for pairs so far
  double search_s;                // s, total time of all these `searches`
  int pair_count, pair_capacity;  // number of pairs in the list, and allocated length of its arrays
  ContactPair *pair;              // [pair_count], the pairs that may touch
  EntryRows list;                 // for each vertex, the entries of the pairs in `pair` that contain the vertex
  // [4 * pair_capacity]: element 4 * pair + j is the index in list.entry of the entry for node j of the pair; -1: none
  int *entry_index;
  // [vertex_count + edge_count + 1], index in `pair` of the first pair of each query. A query is a vertex or an edge
  // whose pairs are searched; all vertices come first, then all edges.
  int *offset;
  // [candidate_capacity], candidates of the present search. A candidate consists of two primitives whose boxes may come
  // near each other; an exact test then decides if they form a pair.
  struct PairCandidate *candidate;
  int candidate_capacity;  // allocated length of `candidate`
  // [pair_capacity], the pairs of the present search before they are sorted, in the order in which threads found them
  ContactPair *loose;
  struct LooseKey *loose_key;  // [pair_capacity], sort key of each element of `loose`
  // Numbers of candidates and of pairs that the last search found. found_count: on the GPU. found_host: a copy in
  // pinned host memory.
  struct FoundCount *found_count, *found_host;
  struct SearchReport *search_host;  // in pinned host memory: result of the last search in a CUDA graph
  int searches_received;             // number of searches in CUDA graphs that the host has processed
  int *unsorted;                     // [4 pair_capacity], work array of a search
  void *scan;                        // work array for prefix sums, scan_bytes long
  size_t scan_bytes;
  struct CudaTouch *touch;  // [pair_capacity], forces of each pair that touches, from the last contact_cuda_forces call
  // [4 * pair_capacity], a flag for each element of list.entry. 0: its pair did not touch when forces were computed
  // last. FLAG_COUPLES: it touched, and has several nodes on bodies. FLAG_ALONE: it touched, and has one node on a body
  uint8_t *touches;
  struct ForceSums *sums;  // energies and number of touching pairs, from the last call of contact_cuda_forces
  ContactSums *on_host;    // totals of `sums`, copied to pinned host memory; valid after stream_sync
  double (*start)[3];      // [node_count] m, positions from which sliding is measured
  // sliding_count: length of the arrays of friction in this time step. It is the value of pair_count at the start of
  // the time step; not all of these pairs touch. sliding_capacity: allocated length of these arrays.
  int sliding_count, sliding_capacity;
  // address on the GPU of the number that replaces sliding_count while work is recorded as a CUDA graph; else NULL
  const int *sliding_now;
  // address on the GPU of the number that replaces the argument slip_fraction of contact_cuda_tangent while work is
  // recorded as a CUDA graph; else NULL
  const double *slip_now;
  Sliding *sliding;        // [sliding_count], friction of each pair; defined where `slides` is 1
  int *slides;             // [sliding_count], 1: the pair touched when the time step began, so it has friction
  struct CudaRub *rubs;    // [sliding_capacity], friction forces of pairs, from the last call of contact_cuda_forces
  EntryRows sliding_rows;  // for each vertex, its entries of pairs with friction
  // sliding distance in this time step, m, below which friction is smoothed: Contact.still_speed times the step's
  // duration
  double still;
  // true if the program has restored a saved state and the next time step has not begun: the pairs with friction are
  // then in Contact.sliding on the host, not in the array `sliding` on the GPU
  bool host_slides;
  // slide_count: number of pairs that have friction in this time step, on the GPU. slide_host: a copy in pinned host
  // memory.
  int *slide_count, *slide_host;
  // Terms that pairs add to the tangent. tangent [pair_capacity]: element k is the term of the barrier of pair k in the
  // list. sliding_tangent [sliding_capacity]: element k is the term of the friction of sliding[k].
  PairTangent *tangent, *sliding_tangent;
  // [4 * pair_capacity], a flag for each element of list.entry. 0: its pair is not part of the tangent. FLAG_COUPLES:
  // it is, and has several nodes on bodies. FLAG_ALONE: it is, and has one node on a body
  uint8_t *in_tangent;
  // Part of a pair's relative velocity, m/s, that is due to moving obstacles (Coupling.led). led [pair_capacity]: of
  // each listed pair. sliding_led [sliding_capacity]: of each sliding pair.
  double (*led)[3], (*sliding_led)[3];
  // Off-diagonal blocks of the tangent, in the form that products with it read (term_rows.h). entries [4 *
  // pair_capacity]: from the barriers of listed pairs, in the order of list.entry. sliding_entries [4 *
  // sliding_capacity]: from friction, in the order of sliding_rows.entry.
  TermEntry *entries, *sliding_entries;
  // [vertex_count], number of elements in `entries` that couple each vertex to other vertices of bodies
  int *tangent_count;
  int *tangent_slides;  // [vertex_count], number of pairs of each vertex that add friction to the tangent
  // [vertex_count + 1]: element v is the number of vertices before v that have a row of the tangent. If vertex v has a
  // row, this number is the index of the row in `row`.
  int *row_index;
  TermRow *row;  // [vertex_count], rows of the tangent, one for each vertex that it couples to other vertices
  int *row_of;   // [node_count], index in `row` of each node's row, -1: none
  // The tangent in the form that matrix-vector products read: the number of rows, and the addresses of `row`, row_of
  // and the two arrays of entries. rows: on the GPU. rows_host: a copy on the host.
  TermRows *rows, *rows_host;
  bool empty;  // true if the tangent is 0: no pair was in the list or had friction when it was computed last
  // Results of the tests for collisions (struct BoundState in contact_kernels.cuh). bound: on the GPU. bound_host: a
  // copy in pinned host memory.
  struct BoundState *bound, *bound_host;
  // Three sums that the line search needs (queue_energies in self_contact.cu). energies [3]: the change of the step's
  // potential, kg m^2/s, and two elastic energies, J. partial [3 * CONTACT_PARTS]: partial sums over nodes or cells,
  // from which `energies` are computed.
  double *partial, *energies;
  double *energies_host;  // [3], copy of `energies` in pinned host memory
} ContactCuda;

enum { CONTACT_PARTS = 512 };  // maximum number of partial sums in a loop over nodes

// A search for pairs first finds candidates, pairs of primitives with near boxes; an exact test then decides.
// CONTACT_CANDIDATES is the number of candidates for which memory is allocated at first, for each vertex and each edge
// of the surface.
enum { CONTACT_CANDIDATES = 16 };

/// Creates contact on the GPU from `host`, the contact on the host, which must stay valid until contact_cuda_destroy.
/// host->anchors (stretches of friction springs) must be empty; from now on, its tables are allocated on the GPU. Fails
/// if memory runs out.
bool contact_cuda_create(ContactCuda **contact, struct Contact *host, Error *error);
void contact_cuda_destroy(ContactCuda *contact);  // accepts NULL

/// Copies data of obstacles from the host to the GPU: the positions and velocities of their nodes, and the numbers of
/// nodes and planes that are in use (active_nodes, active_planes). If one of these numbers changes, the present list of
/// pairs becomes invalid.
bool contact_cuda_place_rigid(ContactCuda *c, Stream stream, Error *error);

/// Ensures that the list of pairs contains all pairs that touch at the positions c->x. Keeps the present list if it
/// certainly contains these pairs, else searches for a new list. Waits for the GPU.
bool contact_cuda_settle(ContactCuda *c, Stream stream, Error *error);

/// Makes a new list of pairs: searches for the pairs that may touch while nodes move from c->x by `scale` times
/// `displacement` (NULL: nodes do not move). Waits for the GPU.
bool contact_cuda_find(ContactCuda *c, const double (*displacement)[3], double scale, Stream stream, Error *error);

/// Begins a time step of `duration`, s, or a load increment (ContactLoading), at the positions c->x. Stores the pairs
/// that touch there; only these can have friction in this step. The list of pairs must already contain all pairs that
/// touch at c->x; contact_cuda_settle and contact_cuda_bound ensure this.
bool contact_cuda_begin(ContactCuda *c, double duration, Stream stream, Error *error);

/// Ends a time step, a part of a divided time step, or a load increment, at the positions c->x. If
/// contact_stores_anchors returns true, stores in `anchors` the stretches of the friction springs of sticking pairs.
/// The next step begins with these stretches. The host must have waited for the stream since contact_cuda_begin. The
/// function waits only if it allocates.
bool contact_cuda_stick(ContactCuda *c, Anchors *anchors, Stream stream, Error *error);

/// Copies the pairs that have friction in this time step from the GPU to host->sliding, in which contact_begin stores
/// them if contact runs on the CPU. Also copies `start` and `still`, from which their sliding follows. Waits for the
/// GPU.
bool contact_cuda_report_sliding(const ContactCuda *c, struct Contact *host, Stream stream, Error *error);

/// Computes the safe fraction, 0 to 1, of the displacements c->displacement: nodes can move from c->x by this fraction
/// without a collision of any pair. `rounding` is the relative rounding error of displacements. Afterwards the list of
/// pairs contains all pairs that touch at any position up to this fraction. Scales down c->displacement as
/// contact_bound does. Waits for the GPU.
bool contact_cuda_bound(ContactCuda *c, double rounding, double *fraction, Stream stream, Error *error);

// Functions for time steps that are recorded as CUDA graphs (newton/step_graph.h). A recorded time step cannot wait for
// the GPU. These functions only queue work, in place of contact_cuda_settle and contact_cuda_bound, which wait.

/// Queues a test that finds out if any listed pair touches at the positions c->x. The list must already contain all
/// pairs that touch there; contact_cuda_settle ensures this. *free becomes the address, on the GPU, of the result: 1 if
/// no pair touches, else 0. Also sets the number of rows of the tangent to 0.
bool contact_cuda_queue_begin(ContactCuda *c, int **free, Stream stream, Error *error);

// Arguments of a queued test for collisions.
typedef struct ContactQuery {
  double rounding;  // relative rounding error of displacements
  // An int on the GPU. If it is 0, the test does nothing. The test sets it to 0 if the GPU must not continue the
  // recorded time step (see contact_cuda_queue_bound).
  int *wanted;
  double *fraction;  // address on the GPU that gets the fraction of the displacements without collisions; or NULL
  bool touches;      // true if a pair touches; the list of a search then covers only the tested displacements
} ContactQuery;

/// Queue the tests of contact_cuda_bound in a recorded time step. If *wanted is 0, they do nothing.
///
/// contact_cuda_queue_bound: tests with the present list of pairs. If the list is not valid, it sets the conditional
/// handle `search` of the CUDA graph to 1. The graph then runs the work that contact_cuda_queue_search has queued.
///
/// contact_cuda_queue_search: makes a new list and tests with it. If displacements are long, it tests only their
/// beginning. If this part has no collision, it sets the conditional handle `again` (unless 0) to 1, and another search
/// tests the whole displacements.
///
/// If query->fraction is not NULL, *fraction gets the safe fraction of the displacements. If it is NULL, the caller
/// must ensure that no pair touches at c->x. Then *wanted becomes 0 if the displacements have a collision, or if a pair
/// touches at the positions c->trial.
///
/// *wanted also becomes 0 if the host must do the tests. There are three reasons for this. The displacements are longer
/// than the body. They are too long for one test and query->fraction is NULL. Or there are more pairs than the arrays
/// can store.
bool contact_cuda_queue_bound(ContactCuda *c, const ContactQuery *query, uint64_t search, Stream stream, Error *error);
bool contact_cuda_queue_search(ContactCuda *c, const ContactQuery *query, uint64_t again, Stream stream, Error *error);

/// Queue the computation of forces and of the tangent in a recorded time step. The kernels read the number of sliding
/// pairs from *sliding, and the slip fraction (contact_cuda_tangent) from *slip_fraction, both on the GPU.
/// contact_cuda_prepare must be called before they are queued: it copies the addresses of the tangent's rows to the
/// GPU, and waits for the GPU. contact_cuda_sums returns the address, on the GPU, of the sums of energies.
bool contact_cuda_prepare(ContactCuda *c, Stream stream, Error *error);
const ContactSums *contact_cuda_sums(const ContactCuda *c);
bool contact_cuda_queue_forces(const ContactCuda *c, const int *sliding, Stream stream, Error *error);
bool contact_cuda_queue_tangent(const ContactCuda *c, const int *sliding, double scale, const double *slip_fraction,
                                Stream stream, Error *error);

/// Updates the host's copies of the numbers of pairs and of searches, after recorded work (a CUDA graph) has ended on
/// the GPU. The recorded work may have made a new list of pairs. step: true if the work was a complete time step in
/// which no pair touched; then no pair has friction.
bool contact_cuda_received(ContactCuda *c, bool step, Error *error);

/// Computes forces and energies at the positions c->x: c->force, c->energy and c->on_host. The list of pairs must
/// contain all pairs that touch there; contact_cuda_settle ensures this.
bool contact_cuda_forces(ContactCuda *c, Stream stream, Error *error);

/// Computes `scale` times the tangent of contact at the positions c->x: off-diagonal blocks in c->rows, diagonal ones
/// in c->diagonal_blocks. The list of pairs must contain all pairs that touch there; contact_cuda_settle ensures this.
/// slip_fraction: as in contact_tangent (contact.h).
bool contact_cuda_tangent(ContactCuda *c, double scale, double slip_fraction, Stream stream, Error *error);

/// Returns true if contact certainly has no forces: the list of pairs is empty, and no pair has friction.
static inline bool contact_cuda_idle(const ContactCuda *c) {
  return c->pair_count == 0 && c->sliding_count == 0;
}

/// Returns true if any pair touched when forces were computed last (contact_cuda_forces), or if any pair has friction
/// in this time step.
static inline bool contact_cuda_touches(const ContactCuda *c) {
  return c->on_host->count > 0 || (c->sliding_count > 0 && *c->slide_host > 0);
}

/// Frees the array *items on the GPU and allocates a new one of `count` elements of `size` bytes. The old elements are
/// lost.
bool contact_cuda_renew(void **items, int64_t count, size_t size, Error *error);

#ifdef __cplusplus
}
#endif
