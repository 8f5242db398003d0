// `pliant info SCENE --ranks N`: see info_ranks.h. The nodes of a process are its owned nodes and its ghosts. Ghosts
// are nodes of other processes that have a cell in common with an owned node.
//
// Process 0 stores all cells of the mesh. Each other process stores its near cells (mesh/distribute.h): the cells at
// its near nodes, which are its owned nodes and the nodes of the cells that it counts in sums.
#include "app/info_ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "mesh/distribute.h"
#include "mesh/divide.h"

// NODE_BYTES: bytes that each process needs per node of the whole body: position, tag, owner, piece, mass, force, pins
// and two temporary arrays of vectors (measured: 115). BLOCK_BYTES: bytes per block of the matrix of a process, for the
// matrix, its copies, multigrid and its set-up. Measured with several processes: 1,170 to 1,250 for linear and 1,400
// for quadratic tets, and 740 for hexes; with one process 485 to 630.
enum { NODE_BYTES = 132, BLOCK_BYTES = 1200, BLOCK_BYTES_HEXES = 750, BLOCK_BYTES_ALONE = 600 };

// Numbers of nodes, cells and neighbours of one process.
typedef struct RankCounts {
  // owned: nodes that the process owns. ghosts: nodes of its cells that other processes own. cells: cells with at least
  // one owned node.
  int owned, ghosts, cells;
  int neighbours;  // number of processes that own its ghosts
  int near;        // number of its near cells
  int64_t blocks;  // number of blocks of its part of the matrix, except blocks of two ghosts
} RankCounts;

// An entry of a list: a process that has a node as a near node, but does not own it.
typedef struct NearRank {
  int rank, next;  // next: index of the next entry for the same node, or -1
} NearRank;

typedef struct Division {
  int ranks;
  int *owner;         // [nodes], the process that owns each node
  RankCounts *count;  // [ranks]
  uint8_t *shares;    // [ranks][ranks], entry (r, s) is 1 if the process s owns ghosts of the process r
  int *mark;          // [ranks], the node or cell for which each process was last counted, or -1
  int *first_near;    // [nodes], index of the first entry of each node in the list near_rank, or -1
  NearRank *near_rank;
  int64_t near_count, near_capacity;  // number of entries of the list near_rank, and number of allocated ones
} Division;

// Returns true if the node or cell with number `mark` is not yet counted for the process `rank`, and notes that it now
// is. Nodes or cells are processed one after another, so only the last number of each process is stored.
static bool is_first(Division *d, int rank, int mark) {
  if (d->mark[rank] == mark) return false;
  d->mark[rank] = mark;
  return true;
}

static void count_nodes(Division *d, const Adjacency *graph) {
  for (int a = 0; a < graph->node_count; a++) {
    const int owner = d->owner[a];
    d->count[owner].owned++;
    d->count[owner].blocks += graph->start[a + 1] - graph->start[a];
    for (int64_t pair = graph->start[a]; pair < graph->start[a + 1]; pair++) {
      const int other = d->owner[graph->neighbour[pair]];
      if (other == owner) continue;
      d->count[other].blocks++;
      if (!is_first(d, other, a)) continue;
      d->count[other].ghosts++;
      d->shares[(size_t)other * (size_t)d->ranks + (size_t)owner] = 1;
    }
  }
}

static void count_cells(Division *d, const TetMesh *mesh) {
  for (int r = 0; r < d->ranks; r++) d->mark[r] = -1;
  for (int e = 0; e < mesh->tet_count; e++)
    for (int a = 0; a < mesh_cell_nodes(mesh); a++) {
      const int rank = d->owner[mesh_cell_node(mesh, e, a)];
      if (is_first(d, rank, e)) d->count[rank].cells++;
    }
}

// Notes that node a is a near node of the process `rank`.
static bool note_near(Division *d, int a, int rank, Error *error) {
  if (d->owner[a] == rank) return true;
  for (int k = d->first_near[a]; k >= 0; k = d->near_rank[k].next)
    if (d->near_rank[k].rank == rank) return true;
  void *list = d->near_rank;
  const bool ok = array_reserve(&list, &d->near_capacity, d->near_count + 1, sizeof *d->near_rank, "processes", error);
  d->near_rank = list;
  if (!ok) return false;
  d->near_rank[d->near_count] = (NearRank){ rank, d->first_near[a] };
  d->first_near[a] = (int)d->near_count++;
  return true;
}

static bool count_near(Division *d, const TetMesh *mesh, Error *error) {
  const int width = mesh_cell_nodes(mesh);
  for (int a = 0; a < mesh->node_count; a++) d->first_near[a] = -1;
  for (int e = 0; e < mesh->tet_count; e++) {
    const int rank = mesh_cell_owner(mesh, d->owner, e);
    for (int a = 0; a < width; a++)
      if (!note_near(d, mesh_cell_node(mesh, e, a), rank, error)) return false;
  }
  for (int r = 0; r < d->ranks; r++) d->mark[r] = -1;
  for (int e = 0; e < mesh->tet_count; e++)
    for (int a = 0; a < width; a++) {
      const int node = mesh_cell_node(mesh, e, a);
      d->count[d->owner[node]].near += is_first(d, d->owner[node], e);
      for (int k = d->first_near[node]; k >= 0; k = d->near_rank[k].next)
        d->count[d->near_rank[k].rank].near += is_first(d, d->near_rank[k].rank, e);
    }
  return true;
}

static void count_neighbours(Division *d) {
  for (int r = 0; r < d->ranks; r++)
    for (int other = 0; other < d->ranks; other++)
      d->count[r].neighbours += d->shares[(size_t)r * (size_t)d->ranks + (size_t)other];
}

// Least and greatest value of a count, such as `owned`, over all processes, and the sum of the values.
typedef struct Span {
  int least, greatest;
  double sum;
} Span;

// Returns the span of one of the counts. member: offset of this count in RankCounts.
static Span span_of(const Division *d, size_t member) {
  Span span = { INT32_MAX, 0, 0 };
  for (int r = 0; r < d->ranks; r++) {
    const int value = *(const int *)((const char *)&d->count[r] + member);
    span.least = value < span.least ? value : span.least;
    span.greatest = value > span.greatest ? value : span.greatest;
    span.sum += value;
  }
  return span;
}

static void print_span(const char *label, const Division *d, Span span, const char *text) {
  printf("%-21s %d to %d %s, %.1f on average\n", label, span.least, span.greatest, text, span.sum / d->ranks);
}

static void print_counts(const Division *d, const TetMesh *mesh) {
  const Span owned = span_of(d, offsetof(RankCounts, owned)), ghosts = span_of(d, offsetof(RankCounts, ghosts));
  const Span cells = span_of(d, offsetof(RankCounts, cells));
  char label[40];
  snprintf(label, sizeof label, "processes: %d", d->ranks);
  print_span(label, d, owned, "nodes owned by each process");
  print_span("", d, ghosts, "ghost nodes of each process, which other processes own");
  print_span("", d, span_of(d, offsetof(RankCounts, neighbours)), "processes own the ghost nodes of each process");
  print_span("cells of a process", d, cells, mesh_cell_word(mesh));
  printf("%-21s the largest process has %.2f times the average number of nodes\n", "",
         (double)owned.greatest * d->ranks / mesh->node_count);
  printf("%-21s %s are computed %.3f times on average, once by each process that needs them\n", "",
         mesh_cell_word(mesh), cells.sum / mesh->tet_count);
  printf("%-21s in an exchange, each process receives the values of its ghost nodes, at most %.1f kB\n", "",
         3 * 8 * ghosts.greatest / 1e3);
}

// Returns the bytes that a TetMesh stores for each cell.
static int cell_bytes(const TetMesh *mesh) {
  const int properties = (mesh->stiffness != NULL) + (mesh->ratio != NULL) + (mesh->density != NULL);
  return (int)sizeof(int) * mesh_cell_nodes(mesh) + (int)sizeof(double) * properties;
}

// Prints estimates of the memory of the processes. The memory of the program and its libraries is not included.
static void print_memory(const Division *d, const TetMesh *mesh, const Adjacency *graph) {
  static const double MEBI = 1048576;
  const double each = d->ranks == 1 ? BLOCK_BYTES_ALONE : mesh->hex ? BLOCK_BYTES_HEXES : BLOCK_BYTES;
  const double nodes = mesh->node_count, whole = (double)cell_bytes(mesh) * mesh->tet_count;
  double most_blocks = 0, least_blocks = INFINITY, near = 0;
  for (int r = 0; r < d->ranks; r++) {
    most_blocks = fmax(most_blocks, (double)d->count[r].blocks);
    least_blocks = fmin(least_blocks, (double)d->count[r].blocks);
    if (r > 0) near = fmax(near, (double)cell_bytes(mesh) * d->count[r].near);
  }

  printf("%-21s about %.1f to %.1f MiB for the matrix and multigrid of its part\n", "memory of a process",
         each * least_blocks / MEBI, each * most_blocks / MEBI);
  printf("%-21s %.2f MiB for values of all nodes of the body, in each process\n", "", NODE_BYTES * nodes / MEBI);
  printf("%-21s %.2f MiB for all %s in process 0", "", whole / MEBI, mesh_cell_word(mesh));
  if (d->ranks == 1) {
    printf("\n");
    return;
  }

  // The graph is stored for Pliant and for METIS, with 4 bytes per neighbour. METIS stores three times as much.
  const double graph_bytes = 5 * 4.0 * (double)graph->start[mesh->node_count] + 16 * nodes;
  printf("; at most %.2f MiB for near %s in each other process\n", near / MEBI, mesh_cell_word(mesh));
  printf("%-21s %.2f MiB in process 0 while METIS divides the body, before the matrix is created\n", "",
         graph_bytes / MEBI);
}

bool info_print_ranks(const TetMesh *mesh, const Adjacency *graph, int ranks, Error *error) {
  if (mesh->node_count < ranks)
    return error_set(error, "--ranks: the mesh has too few nodes (%d) for %d processes; give fewer processes",
                     mesh->node_count, ranks);
  const size_t squared = (size_t)ranks * (size_t)ranks;
  Division d = { .ranks = ranks,
                 .owner = array_new(mesh->node_count, sizeof *d.owner, "processes", error),
                 .count = array_new(ranks, sizeof *d.count, "processes", error),
                 .shares = array_new((int64_t)squared, sizeof *d.shares, "processes", error),
                 .mark = array_new(ranks, sizeof *d.mark, "processes", error),
                 .first_near = array_new(mesh->node_count, sizeof *d.first_near, "processes", error) };
  bool ok = d.owner && d.count && d.shares && d.mark && d.first_near;
  ok = ok && (ranks == 1 || adjacency_divide_among(graph, ranks, d.owner, error));
  for (int r = 0; ok && r < ranks; r++) d.mark[r] = -1;
  if (ok) {
    count_nodes(&d, graph);
    count_cells(&d, mesh);
    count_neighbours(&d);
  }

  ok = ok && count_near(&d, mesh, error);
  if (ok) {
    print_counts(&d, mesh);
    print_memory(&d, mesh, graph);
  }
  free(d.owner);
  free(d.count);
  free(d.shares);
  free(d.mark);
  free(d.first_near);
  free(d.near_rank);
  return ok;
}
