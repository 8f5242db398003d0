// Assembly `cpu_simd`: the direct stiffness method over all cores, LANES cells side by side in a processor's vectors.
// Each part owns a range of nodes and adds only to their rows; a cell whose nodes have several owners is evaluated by
// each of them. A part's cells stand in groups of LANES, what each lane needs beside that of the others: element
// headers evaluate a group as they would a cell (lanes.h). The results are turned over, so that each cell's blocks are
// contiguous as the matrix stores them, and added cell by cell. Every entry thus gets its terms in the order of the
// cells, whatever the number of threads and of lanes: same bits, and those of cpu_opt.
//   S      [group][ELEMENT_SUPPLEMENTAL][LANES]
//   record [LANES][PITCH]: force of each node | blocks (a, b) of all pairs, each column by column;
//          where the matrix has its diagonal apart, own blocks without it, then their diagonal
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <atomic>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/wide.h"
#include "sim/assembly/assembly.h"
#include "sim/assembly/lanes.h"
#include "sim/space.h"
// element headers with Lanes for `real`, whose types are this source's alone; what they include themselves is here
// already, or is arithmetic too
#include "base/error.h"
#include "device/host_device.h"
#include "sim/material/parameters.h"
#define real Lanes
namespace {
#include "sim/element/element.h"
}
#undef real

enum {
  PARTS_PER_THREAD = 4,
  PART_NODES_MAX = 512,  // whose rows of the matrix stay in a core's cache
  DOF = ELEMENT_NODE_DOF,
  BLOCK = DOF * DOF,
  PAIRS = ELEMENT_NODES * ELEMENT_NODES,
  VECTOR_GROUPS = (ELEMENT_DOF + LANES - 1) / LANES,  // of LANES rows that are turned over together
  GROUPS = (ELEMENT_DOF + PAIRS * BLOCK + LANES - 1) / LANES,
  PITCH = GROUPS * LANES
};

typedef struct Group {
  int count;  // lanes that are cells; the others repeat the last one
  int node[LANES][ELEMENT_NODES];
} Group;

// where block (a, b) of each lane begins among the values or, where blocks are not contiguous there, its pair
typedef int GroupPlaces[LANES][PAIRS];

typedef struct Data {
  int part_count, part_nodes, node_count;
  int64_t *group_start;  // [part_count + 1]
  Group *group;
  GroupPlaces *place;           // of each group
  real (*supplemental)[LANES];  // [groups][ELEMENT_SUPPLEMENTAL]
  int order[PITCH];             // where each number of a record stands among F_e and then A_e
  bool contiguous;              // blocks are stored column by column
} Data;

static void destroy_data(Assembly *assembly) {
  Data *d = (Data *)assembly->data;
  free(d->group_start), free(d->group), free(d->place), free(d->supplemental);
  free(d);
}

static int part_of(const Data *d, int node) {
  return node / d->part_nodes;
}

// the parts that a cell's nodes belong to, each once; returns how many
static int parts_of_cell(const Data *d, const int *cell, int part[ELEMENT_NODES]) {
  int count = 0;
  for (int a = 0; a < ELEMENT_NODES; a++) {
    int known = 0;
    while (known < count && part[known] != part_of(d, cell[a])) known++;
    if (known == count) part[count++] = part_of(d, cell[a]);
  }
  return count;
}

// order of a record's numbers
static void make_order(Data *d, bool diagonal_first) {
  int *next = d->order;
  for (int i = 0; i < ELEMENT_DOF; i++) *next++ = i;
  for (int a = 0; a < ELEMENT_NODES; a++)
    for (int b = 0; b < ELEMENT_NODES; b++) {
      const bool apart = diagonal_first && a == b;
      for (int k = 0; k < DOF - apart; k++)
        for (int i = 0; i < DOF; i++)
          *next++ = ELEMENT_DOF + symmetric_index(ELEMENT_DOF, DOF * a + i, DOF * b + k + (apart && k >= i));
      for (int i = 0; apart && i < DOF; i++)
        *next++ = ELEMENT_DOF + symmetric_index(ELEMENT_DOF, DOF * a + i, DOF * a + i);
    }
  while (next < d->order + PITCH) *next++ = 0;
}

// the group that a part's next cell goes to, and its lane
static void place_cell(const Data *d, const Operator *layout, const uint16_t *offset, int e, int part, int64_t k,
                       const Lanes *S) {
  const Space *space = layout->space;
  const int *cell = space_cell(space, e);
  Group *group = d->group + d->group_start[part] + k / LANES;
  real(*supplemental)[LANES] = d->supplemental + (group - d->group) * ELEMENT_SUPPLEMENTAL;
  const int lane = (int)(k % LANES);
  group->count = lane + 1;
  for (int l = lane; l < LANES; l++) {
    for (int a = 0; a < ELEMENT_NODES; a++) group->node[l][a] = cell[a];
    for (int s = 0; s < ELEMENT_SUPPLEMENTAL; s++) supplemental[s][l] = S[s].v[0];
  }
  for (int a = 0; a < ELEMENT_NODES; a++)
    for (int b = 0; b < ELEMENT_NODES; b++) {
      const int64_t pair = space->graph.start[cell[a]] + offset[((int64_t)e * ELEMENT_NODES + a) * ELEMENT_NODES + b];
      d->place[group - d->group][lane][a * ELEMENT_NODES + b] = d->contiguous ? layout->place[pair].at : (int)pair;
    }
}

static bool create(Assembly *assembly, const Space *space, Error *error) {
  Data *d = (Data *)(assembly->data = array_new(1, sizeof *d, "assembly data", error));
  if (!d) return false;
  const int cells = space->cell_count;
  const int share = space->node_count / (PARTS_PER_THREAD * parallel_threads()) + 1;
  const Operator *layout = assembly->layout;
  d->node_count = space->node_count;
  d->part_nodes = share < PART_NODES_MAX ? share : PART_NODES_MAX;
  d->part_count = part_of(d, space->node_count - 1) + 1;
  d->contiguous = layout->place;
  for (int64_t pair = 0; d->contiguous && pair < space_pairs(space); pair++)
    d->contiguous = layout->place[pair].row_step == 1 && layout->place[pair].column_step == DOF;
  make_order(d, d->contiguous && layout->method->diagonal_first);
  assembly->min_J_count = d->part_count;
  assembly->min_J = device_alloc(DEVICE_CPU, sizeof(real) * (size_t)d->part_count, error);
  d->group_start = (int64_t *)array_new(d->part_count + 1, sizeof *d->group_start, "parts", error);
  int64_t *fill = (int64_t *)array_new(d->part_count, sizeof *fill, "parts", error);
  uint16_t *offset = assembly_offsets(space, error);
  bool ok = assembly->min_J && d->group_start && fill && offset;
  // count, then fill: the cells of each part
  int part[ELEMENT_NODES];
  for (int e = 0; ok && e < cells && !interrupt_signal(); e++)
    for (int k = parts_of_cell(d, space_cell(space, e), part) - 1; k >= 0; k--) fill[part[k]]++;
  for (int p = 0; ok && p < d->part_count; p++) {
    d->group_start[p + 1] = d->group_start[p] + (fill[p] + LANES - 1) / LANES;
    fill[p] = 0;
  }
  if (ok) {
    const int64_t groups = d->group_start[d->part_count];
    d->group = (Group *)array_new(groups, sizeof *d->group, "cells", error);
    d->place = (GroupPlaces *)array_new(groups, sizeof *d->place, "cells", error);
    d->supplemental = (real(*)[LANES])array_new(groups * ELEMENT_SUPPLEMENTAL, sizeof *d->supplemental, "cells", error);
    ok = d->group && d->place && d->supplemental;
  }
  for (int e = 0; ok && e < cells && !interrupt_signal(); e++) {
    Lanes S[ELEMENT_SUPPLEMENTAL_ROOM];
    element_supplemental(space, e, S);
    for (int k = parts_of_cell(d, space_cell(space, e), part) - 1; k >= 0; k--)
      place_cell(d, layout, offset, e, part[k], fill[part[k]]++, S);
  }
  free(fill), free(offset);
  return ok && interrupt_check(error);
}

// What the parts work on.
typedef struct Task {
  const Assembly *assembly;
  ElementParameters parameters;
  const real *nodal;
  real *F, *values;
  std::atomic<bool> *left;  // interrupt_requested: what is still to do is left
} Task;

static bool leave(const Task *t) {
  if (!t->left->load(std::memory_order_relaxed) && interrupt_requested())
    t->left->store(true, std::memory_order_relaxed);
  return t->left->load(std::memory_order_relaxed);
}

static inline void clear_rows(const Data *d, const Operator *layout, int first, int last, real *F, real *values) {
  const Adjacency *graph = &layout->space->graph;
  for (int row = DOF * first; row < DOF * last; row++) F[row] = 0;
  for (int a = first; values && a < last; a++)
    for (int64_t pair = graph->start[a]; pair < graph->start[a + 1]; pair++)
      if (d->contiguous && graph->neighbour[pair] != a)
        memset(values + layout->place[pair].at, 0, BLOCK * sizeof(real));
      else if (!operator_mirrors(layout, pair))
        for (int i = 0; i < DOF; i++)
          for (int k = 0; k < DOF; k++) values[operator_slot(layout, a, pair, i, k)] = 0;
}

// to[k] += from[k], in the widest vectors that fit
template <int count>
static inline void add(real *to, const real *from) {
  if constexpr (count >= LANES || count >= 4) {
    constexpr int width = count >= LANES ? (int)LANES : 4;
    typedef real Vector __attribute__((vector_size(width * sizeof(real))));
    Vector sum, more;
    memcpy(&sum, to, sizeof sum), memcpy(&more, from, sizeof more);
    sum += more;
    memcpy(to, &sum, sizeof sum);
    add<count - width>(to + width, from + width);
  } else {
    for (int k = 0; k < count; k++) to[k] += from[k];
  }
}

// one cell's blocks in the row of its node a: `blocks` are those of (a, 0), (a, 1) .., `at` where they go
template <bool contiguous, bool diagonal_first>
static inline void add_row(const Operator *layout, const int *at, int a, int node, const real *blocks, real *values) {
  for (int b = 0; b < ELEMENT_NODES; b++, blocks += BLOCK) {
    if (!contiguous) {
      if (operator_mirrors(layout, at[b])) continue;
      for (int k = 0; k < DOF; k++)
        for (int i = 0; i < DOF; i++) values[operator_slot(layout, node, at[b], i, k)] += blocks[k * DOF + i];
    } else if (diagonal_first && a == b) {
      add<BLOCK - DOF>(values + at[b], blocks);
      add<DOF>(values + DOF * node, blocks + BLOCK - DOF);
    } else {
      add<BLOCK>(values + at[b], blocks);
    }
  }
}

// the lanes' records, their first `groups` times LANES numbers, out of F_e and A_e of all lanes
static inline void turn_over(const Data *d, const Lanes *result, int groups, real record[LANES][PITCH]) {
  for (int k = 0; k < groups; k++) {
    LaneVector rows[LANES];
#pragma GCC unroll 8
    for (int l = 0; l < LANES; l++) rows[l] = result[d->order[LANES * k + l]].v;
    transpose(rows);
#pragma GCC unroll 8
    for (int l = 0; l < LANES; l++) memcpy(record[l] + LANES * k, &rows[l], sizeof rows[l]);
  }
}

// adds a group's records to the rows of nodes first to last - 1
template <bool contiguous, bool diagonal_first>
static inline void add_records(const Task *t, int first, int last, const Group *group, const GroupPlaces place,
                               const real record[LANES][PITCH]) {
  for (int l = 0; l < group->count; l++)
    for (int a = 0; a < ELEMENT_NODES; a++) {
      const int node = group->node[l][a];
      if (node < first || node >= last) continue;
      add<DOF>(t->F + DOF * node, record[l] + DOF * a);
      if (t->values)
        add_row<contiguous, diagonal_first>(t->assembly->layout, place[l] + a * ELEMENT_NODES, a, node,
                                            record[l] + ELEMENT_DOF + a * ELEMENT_NODES * BLOCK, t->values);
    }
}

// sums everything that belongs to the part's rows; returns the smallest J it met
WIDE static real assemble_part(const Task *t, int part) {
  const Data *d = (const Data *)t->assembly->data;
  const Operator *layout = t->assembly->layout;
  const int first = part * d->part_nodes;
  const int last = first + d->part_nodes < d->node_count ? first + d->part_nodes : d->node_count;
  real min_J = INFINITY;
  clear_rows(d, layout, first, last, t->F, t->values);
  for (int64_t g = d->group_start[part]; g < d->group_start[part + 1]; g++) {
    const Group *group = d->group + g;
    real data[ELEMENT_NODES * ELEMENT_NODE_DATA][LANES];
    Lanes nodal[ELEMENT_NODES * ELEMENT_NODE_DATA], S[ELEMENT_SUPPLEMENTAL_ROOM], result[ELEMENT_DOF + ELEMENT_MATRIX];
    alignas(32) real record[LANES][PITCH];
    for (int a = 0; a < ELEMENT_NODES; a++)
      for (int l = 0; l < LANES; l++)
        for (int i = 0; i < ELEMENT_NODE_DATA; i++)
          data[ELEMENT_NODE_DATA * a + i][l] = t->nodal[ELEMENT_NODE_DATA * group->node[l][a] + i];
    for (int k = 0; k < ELEMENT_NODES * ELEMENT_NODE_DATA; k++) memcpy(&nodal[k].v, data[k], sizeof nodal[k].v);
    for (int s = 0; s < ELEMENT_SUPPLEMENTAL; s++)
      memcpy(&S[s].v, d->supplemental[g * ELEMENT_SUPPLEMENTAL + s], sizeof S[s].v);
    const Lanes J = element_evaluate(nodal, S, &t->parameters, result, t->values ? result + ELEMENT_DOF : NULL);
    for (int l = 0; l < LANES; l++)
      if (!(J.v[l] >= min_J)) min_J = J.v[l] == J.v[l] ? J.v[l] : -(real)INFINITY;
    turn_over(d, result, t->values ? GROUPS : VECTOR_GROUPS, record);
    if (!d->contiguous)
      add_records<false, false>(t, first, last, group, d->place[g], record);
    else if (layout->method->diagonal_first)
      add_records<true, true>(t, first, last, group, d->place[g], record);
    else
      add_records<true, false>(t, first, last, group, d->place[g], record);
  }
  return min_J;
}

static void assemble_parts(const void *task, int first, int last) {
  const Task *t = (const Task *)task;
  real *min_J = (real *)t->assembly->min_J;
  for (int part = first; part < last && !leave(t); part++) min_J[part] = assemble_part(t, part);
}

static bool assemble(Assembly *assembly, const AssemblyParameters *p, const void *nodal, void *F, void *values,
                     Stream stream, Error *error) {
  (void)stream;
  std::atomic<bool> left(false);
  const Data *d = (const Data *)assembly->data;
  const Task task = { assembly,
                      element_parameters(p->material, p->vector_scale, p->matrix_scale),
                      (const real *)nodal,
                      (real *)F,
                      (real *)values,
                      &left };
  parallel_for(d->part_count, 1, assemble_parts, &task);
  return !left || interrupt_check(error);
}

// a mesh's cells are met 1.3 times
static StageBytes bytes_of(const Stage *stage, const StageSize *size) {
  const double cells = 1.3 * size->cells, places = cells * sizeof(GroupPlaces) / LANES;
  const double group = cells * ((double)sizeof(Group) / LANES + size->supplemental * sizeof(real));
  StageBytes bytes = stage_takes(stage, group + places);
  // groups and nodal data to the system, which is added to
  const double F = size->nodes * DOF * sizeof(real), A = stage_entries(size) * sizeof(real);
  const double read = group + size->nodes * ELEMENT_NODE_DATA * sizeof(real);
  stage_pass(stage, &bytes, WORK_VECTOR, read + F, F);
  stage_pass(stage, &bytes, WORK_ASSEMBLY, read + places + F + A, F + A);
  return bytes;
}

extern "C" const AssemblyMethod ELEMENT_ROW(cpu_simd);
const AssemblyMethod ELEMENT_ROW(cpu_simd) = {
  { STAGE_ASSEMBLY, "cpu_simd", "parts that evaluate tets side by side in vectors", ELEMENT_LABEL, DEVICE_CPU,
    REAL_PRECISION, true, bytes_of },
  create,
  destroy_data,
  assemble,
  NULL,
  NULL,
  false,
  NULL,
  false,
};
