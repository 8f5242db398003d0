// Finds the pieces of a body (its connected parts), and corrects their momenta on the CPU: see spin.h.
#include "sim/dynamics/spin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/parallel.h"
#include "sim/contact/clusters.h"
#include "sim/dynamics/energy_keep.h"
#include "sim/dynamics/rigid_guess.h"
#include "sim/element/pieces.h"

enum { CHUNK = 1024 };  // maximum number of nodes of a chunk

// Lists of the pieces (connected parts of the body) in the host's memory, before they are copied to the device.
typedef struct Lists {
  // piece: [node_count], piece of each node. start: work memory of the sort of nodes by piece; index in `node` for the
  // next node of each piece. node, first_chunk and chunk are copied to the members of SpinPieces with these names
  int *piece, *start, *node, *first_chunk;
  SpinChunk *chunk;
} Lists;

static void destroy_lists(Lists *l) {
  free(l->piece);
  free(l->start);
  free(l->node);
  free(l->first_chunk);
  free(l->chunk);
}

// Sorts the nodes by piece and divides each of the `count` pieces into chunks, ranges of nodes over which sums are
// computed. Returns the number of chunks.
static int fill_lists(const Lists *l, int node_count, int count) {
  int chunks = 0;
  for (int a = 0; a < node_count; a++) l->start[l->piece[a] + 1]++;
  for (int k = 0; k < count; k++) l->start[k + 1] += l->start[k];
  for (int k = 0; k < count; k++) {
    l->first_chunk[k] = chunks;
    for (int first = l->start[k]; first < l->start[k + 1]; first += CHUNK) {
      const int last = first + CHUNK < l->start[k + 1] ? first + CHUNK : l->start[k + 1];
      l->chunk[chunks++] = (SpinChunk){ k, first, last };
    }
  }
  l->first_chunk[count] = chunks;

  // counting sort: start[k] is at first the index in `node` of the first node of piece k, then that of the next node
  for (int a = 0; a < node_count; a++) l->node[l->start[l->piece[a]]++] = a;
  return chunks;
}

static bool make_lists(Lists *l, const Space *space, int *count, int *chunks, Error *error) {
  const Halo *halo = space->halo;
  const int nodes = halo_nodes(halo, space->node_count);
  if (!(l->piece = array_new(nodes, sizeof *l->piece, "pieces", error))) return false;
  if (halo) {
    memcpy(l->piece, halo->piece, sizeof *l->piece * (size_t)nodes);
    *count = halo->piece_count;
  } else if ((*count = space_pieces(space, l->piece, error)) < 0) {
    return false;
  }
  l->start = array_new(*count + 1, sizeof *l->start, "pieces", error);
  l->node = array_new(nodes, sizeof *l->node, "pieces", error);
  l->first_chunk = array_new(*count + 1, sizeof *l->first_chunk, "pieces", error);
  l->chunk = array_new(*count + nodes / CHUNK, sizeof *l->chunk, "pieces", error);
  if (!l->start || !l->node || !l->first_chunk || !l->chunk) return false;
  *chunks = fill_lists(l, nodes, *count);
  return true;
}

void REAL_NAME(spin_forget_pieces)(Motion *m) {
  const Device device = m->body.device;
  SpinPieces *p = m->pieces;
  if (!p) return;
  device_free(device, p->chunk);
  device_free(device, p->first_chunk);
  device_free(device, p->node);
  device_free(device, p->sums);
  device_free(device, p->piece);
  device_free(device, p->root);
  device_free(device, p->change);
  device_free(device, p->rigid_sums);
  device_free(device, p->rigid);
  device_free(device, p->rates);
  device_free(device, p->energy_sums);
  device_free(device, p->cell_energy);
  device_free(device, p->energy_factor);
  device_free(device, p->strain);
  device_free(device, m->body.weight);
  free(p);
  m->pieces = NULL;
  m->body.weight = NULL;
  m->body.least_weight = 1;
}

// Copies the lists *l to the device, and allocates the other arrays of *p.
static bool upload(SpinPieces *p, const Lists *l, int node_count, int parts, Device device, Error *error) {
  const size_t count = (size_t)p->count, chunks = (size_t)p->chunk_count;
  if (!(p->chunk = device_clone(device, l->chunk, sizeof *l->chunk * chunks, error))) return false;
  if (!(p->first_chunk = device_clone(device, l->first_chunk, sizeof *l->first_chunk * (count + 1), error)))
    return false;
  if (!(p->node = device_clone(device, l->node, sizeof *l->node * (size_t)node_count, error))) return false;
  if (!(p->sums = device_alloc(device, sizeof *p->sums * chunks, error))) return false;
  if (!(p->piece = device_alloc(device, sizeof *p->piece * count, error))) return false;
  if (!(p->root = device_alloc(device, sizeof *p->root * (count + 1), error))) return false;
  if (!(p->change = device_alloc(device, sizeof *p->change * count, error))) return false;
  if (!(p->rigid_sums = device_alloc(device, sizeof *p->rigid_sums * chunks, error))) return false;
  if (!(p->rigid = device_alloc(device, sizeof *p->rigid * count, error))) return false;
  if (!(p->rates = device_alloc(device, sizeof *p->rates * count, error))) return false;
  if (!(p->energy_sums = device_alloc(device, sizeof *p->energy_sums * chunks, error))) return false;
  if (!(p->cell_energy = device_alloc(device, sizeof *p->cell_energy * (size_t)parts, error))) return false;
  if (!(p->energy_factor = device_alloc(device, sizeof *p->energy_factor, error))) return false;
  p->strain = device_alloc(device, 2 * sizeof *p->strain, error);
  return p->strain;
}

// Computes norm [count]: for each piece, the norm of the masses of its nodes, kg. l->piece and `mass` have the nodes of
// this process.
static bool find_mass_norms(const Motion *m, const Lists *l, const real *mass, double *norm, Error *error) {
  const int count = m->pieces->count, nodes = halo_nodes(m->halo, m->body.node_count);
  for (int a = 0; a < nodes; a++) norm[l->piece[a]] += (double)mass[a] * mass[a];
  if (!halo_sum(m->halo, norm, count, error)) return false;
  for (int k = 0; k < count; k++) norm[k] = sqrt(norm[k]);
  return true;
}

// Computes the weights of nodes in the norms of Newton's residual (Body.weight) from the norms of the masses of pieces,
// norm [count]. If all nodes of a piece have the same velocity, the norm of its momenta is this velocity times the norm
// of its masses. So the weights make these norms nearly equal for all pieces. There are no weights if they hardly
// differ. `weight` [node_count] is work memory.
static bool set_weights(Motion *m, const Lists *l, const double *norm, real *weight, Error *error) {
  const double RATIO_MIN = 20;   // the norms of two pieces may differ by this factor; smaller ones cost CG iterations
  const double RATIO_MAX = 1e6;  // largest ratio of weights
  Body *b = &m->body;
  const int nodes = halo_nodes(m->halo, b->node_count);
  double least = HUGE_VAL, largest = 0;
  for (int k = 0; k < m->pieces->count; k++)
    if (norm[k] > 0) {
      least = fmin(least, norm[k]);
      largest = fmax(largest, norm[k]);
    }
  if (!(largest > RATIO_MIN * least)) return true;
  least = fmax(RATIO_MIN * least, largest / RATIO_MAX);
  for (int a = 0; a < b->node_count; a++) weight[a] = a < nodes ? (real)fmin(least / norm[l->piece[a]], 1) : 1;
  b->least_weight = least / largest;
  b->weight = device_clone(b->device, weight, sizeof *weight * (size_t)b->node_count, error);
  return b->weight;
}

static bool find_weights(Motion *m, const Lists *l, Stream stream, Error *error) {
  const Body *b = &m->body;
  const int64_t nodes = b->node_count;
  const bool copies = b->device != DEVICE_CPU;
  if (m->pieces->count < 2) return true;
  double *norm = array_new(m->pieces->count, sizeof *norm, "weights", error);
  real *weight = array_new(2 * nodes, sizeof *weight, "weights", error), *mass = weight ? weight + nodes : NULL;
  const bool ok = norm && weight &&
                  (!copies || (device_download(stream, mass, b->mass, sizeof *mass * (size_t)nodes, error) &&
                               stream_sync(stream, error))) &&
                  find_mass_norms(m, l, copies ? mass : b->mass, norm, error) && set_weights(m, l, norm, weight, error);
  free(norm);
  free(weight);
  return ok;
}

// Computes *size, m, the size of an average cell: the cube root of the mean volume of the cells.
static bool find_cell_size(const Space *space, double *size, Error *error) {
  const int cells = halo_cells(space->halo, space->cell_count);
  double sums[2] = { 0, cells };  // volume of all cells, and their number; the loop below adds the volumes
  for (int e = 0; e < cells; e++) sums[0] += space_cell_volume(space, e);
  if (!halo_sum(space->halo, sums, 2, error)) return false;
  *size = cbrt(sums[0] / sums[1]);
  return true;
}

bool REAL_NAME(spin_find_pieces)(Motion *m, const Space *space, Stream stream, Error *error) {
  Lists l = { 0 };
  if (m->pieces) return true;
  if (!stream_sync(stream, error) || !(m->pieces = array_new(1, sizeof *m->pieces, "pieces", error))) return false;
  m->pieces->divided = m->halo;
  bool ok = make_lists(&l, space, &m->pieces->count, &m->pieces->chunk_count, error);
  ok = ok && upload(m->pieces, &l, halo_nodes(m->halo, space->node_count), m->element->parts(m->cells.count),
                    m->body.device, error);
  ok = ok && find_cell_size(space, &m->pieces->size, error);
  ok = ok && find_weights(m, &l, stream, error);
  if (!ok) REAL_NAME(spin_forget_pieces)(m);
  destroy_lists(&l);
  return ok;
}

static void sum_chunks(const void *context, int first, int last) {
  const SpinStep *step = context;
  for (int c = first; c < last; c++) {
    const SpinChunk *chunk = &step->pieces.chunk[c];
    const int reference = spin_reference(&step->pieces, chunk);
    SpinSums *sums = &step->pieces.sums[c];
    memset(sums, 0, sizeof *sums);
    for (int k = chunk->first; k < chunk->last; k++) spin_add_node(step, step->pieces.node[k], reference, sums);
  }
}

// Inputs of visits to the nodes of the chunks.
typedef struct Visits {
  const SpinPieces *pieces;
  const void *step;
  SpinVisit visit;
} Visits;

static void visit_chunks(const void *context, int first, int last) {
  const Visits *v = context;
  for (int c = first; c < last; c++) {
    const SpinChunk *chunk = &v->pieces->chunk[c];
    const int reference = spin_reference(v->pieces, chunk);
    for (int k = chunk->first; k < chunk->last; k++) v->visit(v->step, v->pieces->node[k], reference, chunk->piece);
  }
}

void REAL_NAME(spin_visit_nodes)(const SpinPieces *pieces, const void *step, SpinVisit visit) {
  parallel_for(pieces->chunk_count, 1, visit_chunks, &(Visits){ pieces, step, visit });
}

static void change_node(const void *context, int a, int reference, int piece) {
  const SpinStep *step = context;
  spin_change_node(step, a, reference, &step->pieces.change[piece]);
}

bool REAL_NAME(spin_keep_cpu)(const Motion *m, const TimeStep *time_step, double dt, const void *u0, const void *p0,
                              Stream stream, Error *error) {
  (void)stream;
  const SpinPieces *p = m->pieces;
  const SpinStep step = spin_step(m, time_step, dt, u0, p0);
  parallel_for(p->chunk_count, 1, sum_chunks, &step);
  for (int k = 0; k < p->count; k++) {
    p->piece[k] = (SpinSums){ 0 };
    for (int c = p->first_chunk[k]; c < p->first_chunk[k + 1]; c++) spin_add(&p->piece[k], &p->sums[c]);
  }
  if (!halo_sum(m->halo, (double *)p->piece, SPIN_SUMS * p->count, error)) return false;
  for (int k = 0; k < p->count; k++) spin_find(&step, &p->piece[k], p->piece[k].touching == 0, &p->change[k]);
  if (spin_knows_clusters(m, time_step) && contact_clusters(m->forces.self, p->root, p->count))
    for (int k = 0; k < p->count; k++) spin_join(&step, k);
  REAL_NAME(spin_visit_nodes)(p, &step, change_node);

  // Get the momenta and displacements of ghost nodes from the processes that own them. With several processes, real is
  // double.
  return halo_refresh(m->halo, (double *)(void *)m->body.p, 3, error) &&
         (!step.apart || halo_refresh(m->halo, (double *)(void *)m->body.u, 3, error));
}
