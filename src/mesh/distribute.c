// Distributes a mesh among processes: see distribute.h. Process 0 sends the cells in blocks to all processes. Each
// process keeps the cells that it needs from each block, so that no process except process 0 stores all cells.
#include "mesh/distribute.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/union_find.h"
#include "mesh/adjacency.h"
#include "mesh/divide.h"

static const char purpose[] = "the division among processes";

// BLOCK_CELLS: number of cells that process 0 sends at once.
enum { BLOCK_CELLS = 1 << 16 };

// An array of a TetMesh: offset of its pointer in the struct, and bytes of one element.
typedef struct Column {
  size_t offset, size;
} Column;

static const Column node_columns[] = {
  { offsetof(TetMesh, X), sizeof(double[3]) },
  { offsetof(TetMesh, node_tag), sizeof(int64_t) },
  { offsetof(TetMesh, damping), sizeof(double) },
  { offsetof(TetMesh, body), sizeof(int) },
};
// The first CELL_NODE_COLUMNS of these arrays have the nodes of the cells.
static const Column cell_columns[] = {
  { offsetof(TetMesh, tet), sizeof(int[4]) },       { offsetof(TetMesh, middle), sizeof(int[6]) },
  { offsetof(TetMesh, outer), sizeof(int[16]) },    { offsetof(TetMesh, hex), sizeof(int[8]) },
  { offsetof(TetMesh, stiffness), sizeof(double) }, { offsetof(TetMesh, ratio), sizeof(double) },
  { offsetof(TetMesh, density), sizeof(double) },
};
enum {
  NODE_COLUMNS = sizeof node_columns / sizeof *node_columns,
  CELL_COLUMNS = sizeof cell_columns / sizeof *cell_columns,
  CELL_NODE_COLUMNS = 4,
};

static void *get(const TetMesh *mesh, Column column) {
  void *array;
  memcpy(&array, (const char *)mesh + column.offset, sizeof array);
  return array;
}

static void set(TetMesh *mesh, Column column, void *array) {
  memcpy((char *)mesh + column.offset, &array, sizeof array);
}

// Numbers of nodes and cells of a mesh. has_nodes and has_cells: bit k is set if the mesh has the array node_columns[k]
// or cell_columns[k].
typedef struct Head {
  int node_count, cell_count;
  unsigned has_nodes, has_cells;
} Head;

static Head head_of(const TetMesh *mesh) {
  Head head = { mesh->node_count, mesh->tet_count, 0, 0 };
  for (int k = 0; k < NODE_COLUMNS; k++) head.has_nodes |= (unsigned)(get(mesh, node_columns[k]) != NULL) << k;
  for (int k = 0; k < CELL_COLUMNS; k++) head.has_cells |= (unsigned)(get(mesh, cell_columns[k]) != NULL) << k;
  return head;
}

// Allocates arrays of `count` elements: column k if bit k of `has` is set.
static bool allocate(TetMesh *mesh, const Column *columns, int column_count, unsigned has, int64_t count,
                     Error *error) {
  for (int k = 0; k < column_count; k++) {
    if (!(has >> k & 1)) continue;
    void *array = array_new(count, columns[k].size, purpose, error);
    if (!array) return false;
    set(mesh, columns[k], array);
  }
  return true;
}

// Assigns each node to a process by METIS.
static bool find_owners(const MeshDivision *d, const TetMesh *mesh, Error *error) {
  if (d->ranks->count == 1) return true;
  Adjacency graph = { 0 };
  const bool ok =
      adjacency_create(&graph, mesh, error) && adjacency_divide_among(&graph, d->ranks->count, d->owner, error);
  adjacency_destroy(&graph);
  return ok;
}

// Finds the connected pieces of the mesh.
static bool find_pieces(MeshDivision *d, const TetMesh *mesh, Error *error) {
  int *parent = array_new(mesh->node_count, sizeof *parent, purpose, error);
  for (int a = 0; parent && a < mesh->node_count; a++) parent[a] = a;
  for (int e = 0; parent && e < mesh->tet_count; e++)
    for (int k = 1; k < mesh_cell_nodes(mesh); k++)
      union_join(parent, mesh_cell_node(mesh, e, 0), mesh_cell_node(mesh, e, k));

  // Number the pieces in the order of their roots, which are their smallest nodes.
  for (int a = 0; parent && a < mesh->node_count; a++)
    d->piece[a] = union_root(parent, a) == a ? d->piece_count++ : d->piece[union_root(parent, a)];
  free(parent);
  return parent;
}

int mesh_cell_owner(const TetMesh *mesh, const int *owner, int e) {
  int smallest = mesh_cell_node(mesh, e, 0);
  for (int a = 1; a < mesh_cell_nodes(mesh); a++)
    smallest = mesh_cell_node(mesh, e, a) < smallest ? mesh_cell_node(mesh, e, a) : smallest;
  return owner[smallest];
}

bool mesh_division_is_own(const MeshDivision *division, const TetMesh *mesh, int e) {
  return mesh_cell_owner(mesh, division->owner, e) == division->ranks->rank;
}

// Data of the distribution of cells.
typedef struct Sending {
  const MeshDivision *division;
  Head head;
  const TetMesh *whole;            // the whole mesh in process 0; NULL in all other processes
  TetMesh block;                   // the cells of one block; process 0 borrows its arrays from `whole`
  uint8_t *is_near;                // [nodes] 1: this process keeps all cells at the node
  TetMesh *kept;                   // the cells that this process has kept
  int64_t capacity[CELL_COLUMNS];  // capacities of the arrays of `kept`, in cells
} Sending;

// Receives the cells from number `first` on as s->block: the first `column_count` of cell_columns.
static bool receive_block(Sending *s, int first, int column_count, Error *error) {
  const int left = s->head.cell_count - first, count = left < BLOCK_CELLS ? left : BLOCK_CELLS;
  s->block.tet_count = count;
  for (int k = 0; k < column_count; k++) {
    const Column column = cell_columns[k];
    if (!(s->head.has_cells >> k & 1)) continue;
    if (s->whole) set(&s->block, column, (char *)get(s->whole, column) + column.size * (size_t)first);
    if (!s->division->ranks->broadcast(s->division->ranks, get(&s->block, column), column.size * (size_t)count, error))
      return false;
  }
  return true;
}

// Marks the nodes of those cells of the block that this process counts in sums.
static void mark_near(Sending *s) {
  for (int e = 0; e < s->block.tet_count; e++) {
    if (!mesh_division_is_own(s->division, &s->block, e)) continue;
    for (int a = 0; a < mesh_cell_nodes(&s->block); a++) s->is_near[mesh_cell_node(&s->block, e, a)] = 1;
  }
}

// Appends the cells of the block that have a marked node to s->kept.
static bool keep_near(Sending *s, Error *error) {
  for (int e = 0; e < s->block.tet_count; e++) {
    bool is_near = false;
    for (int a = 0; a < mesh_cell_nodes(&s->block); a++)
      is_near = is_near || s->is_near[mesh_cell_node(&s->block, e, a)];
    for (int k = 0; is_near && k < CELL_COLUMNS; k++) {
      const size_t size = cell_columns[k].size;
      void *items = get(s->kept, cell_columns[k]);
      if (!(s->head.has_cells >> k & 1)) continue;
      if (!array_reserve(&items, &s->capacity[k], s->kept->tet_count + INT64_C(1), size, purpose, error)) return false;
      set(s->kept, cell_columns[k], items);
      memcpy((char *)items + size * (size_t)s->kept->tet_count,
             (char *)get(&s->block, cell_columns[k]) + size * (size_t)e, size);
    }
    s->kept->tet_count += is_near;
  }
  return true;
}

// Reduces the arrays of the kept cells to their lengths.
static void trim(const Sending *s) {
  for (int k = 0; k < CELL_COLUMNS; k++) {
    void *items = get(s->kept, cell_columns[k]);
    void *shorter = items ? realloc(items, cell_columns[k].size * (size_t)s->kept->tet_count) : NULL;
    if (shorter) set(s->kept, cell_columns[k], shorter);
  }
}

// Sends all cells twice in blocks. In the first pass, each process marks the nodes of its own cells. In the second
// pass, it keeps the cells at marked nodes. A process without memory still takes part until the end, because the others
// wait for it.
static bool send_cells(const MeshDivision *d, Head head, TetMesh *mesh, Error *error) {
  const bool first = d->ranks->rank == 0;
  Sending s = { .division = d, .head = head, .whole = first ? mesh : NULL, .kept = mesh };
  bool ok = first || ((s.is_near = array_new(head.node_count, 1, purpose, error)) &&
                      allocate(&s.block, cell_columns, CELL_COLUMNS, head.has_cells, BLOCK_CELLS, error));
  ok = ranks_agree(d->ranks, ok, error);
  bool sent = ok;
  for (int a = 0; ok && !first && a < head.node_count; a++) s.is_near[a] = d->owner[a] == d->ranks->rank;
  for (int at = 0; sent && at < head.cell_count; at += BLOCK_CELLS) {
    sent = receive_block(&s, at, CELL_NODE_COLUMNS, error);
    if (sent && !first) mark_near(&s);
  }
  for (int at = 0; sent && at < head.cell_count; at += BLOCK_CELLS) {
    sent = receive_block(&s, at, CELL_COLUMNS, error);
    if (sent && !first) ok = ok && keep_near(&s, error);
  }
  if (!first) {
    trim(&s);
    mesh_destroy(&s.block);
  }
  free(s.is_near);
  return ranks_agree(d->ranks, ok && sent, error);
}

bool mesh_distribute(MeshDivision *made, TetMesh *mesh, const Ranks *ranks, Error *error) {
  const bool first = ranks->rank == 0;
  Head head = first ? head_of(mesh) : (Head){ 0 };
  *made = (MeshDivision){ .ranks = ranks };
  if (!ranks->broadcast(ranks, &head, sizeof head, error)) return false;
  const int64_t nodes = head.node_count;
  made->cell_count = head.cell_count;
  made->owner = array_new(nodes, sizeof *made->owner, purpose, error);
  made->piece = array_new(nodes, sizeof *made->piece, purpose, error);
  bool ok = made->owner && made->piece;
  if (!first) mesh->node_count = head.node_count;
  if (!first) ok = ok && allocate(mesh, node_columns, NODE_COLUMNS, head.has_nodes, nodes, error);
  if (!ranks_agree(ranks, ok, error)) return false;

  ok = !first || (find_owners(made, mesh, error) && find_pieces(made, mesh, error));
  ok = ranks_follow(ranks, ok, made->owner, sizeof *made->owner * (size_t)nodes, error);
  if (!ok || ranks->count == 1) return ok;
  ok = ranks->broadcast(ranks, made->piece, sizeof *made->piece * (size_t)nodes, error) &&
       ranks->broadcast(ranks, &made->piece_count, sizeof made->piece_count, error);
  for (int k = 0; ok && k < NODE_COLUMNS; k++)
    if (head.has_nodes >> k & 1)
      ok = ranks->broadcast(ranks, get(mesh, node_columns[k]), node_columns[k].size * (size_t)nodes, error);
  return ok && send_cells(made, head, mesh, error);
}

void mesh_division_destroy(MeshDivision *division) {
  free(division->owner);
  free(division->piece);
  *division = (MeshDivision){ 0 };
}
