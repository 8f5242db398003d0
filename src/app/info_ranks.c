// `pliant info SCENE --ranks N`: see info_ranks.h. The nodes of a process are its owned nodes and its ghosts. Ghosts
// are nodes of other processes that have a cell in common with an owned node.
#include "app/info_ranks.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "mesh/divide.h"

// Numbers of nodes, cells and neighbours of one process.
typedef struct RankCounts {
  // owned: nodes that the process owns. ghosts: nodes of its cells that other processes own. cells: cells with at least
  // one owned node.
  int owned, ghosts, cells;
  int neighbours;  // number of processes that own its ghosts
} RankCounts;

typedef struct Division {
  int ranks;
  int *owner;         // [nodes], the process that owns each node
  RankCounts *count;  // [ranks]
  uint8_t *shares;    // [ranks][ranks], entry (r, s) is 1 if the process s owns ghosts of the process r
  int *mark;          // [ranks], the node or cell for which each process was last counted, or -1
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
    for (int64_t pair = graph->start[a]; pair < graph->start[a + 1]; pair++) {
      const int other = d->owner[graph->neighbour[pair]];
      if (other == owner || !is_first(d, other, a)) continue;
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

bool info_print_ranks(const TetMesh *mesh, const Adjacency *graph, int ranks, Error *error) {
  const size_t squared = (size_t)ranks * (size_t)ranks;
  Division d = { .ranks = ranks,
                 .owner = array_new(mesh->node_count, sizeof *d.owner, "processes", error),
                 .count = array_new(ranks, sizeof *d.count, "processes", error),
                 .shares = array_new((int64_t)squared, sizeof *d.shares, "processes", error),
                 .mark = array_new(ranks, sizeof *d.mark, "processes", error) };
  bool ok = d.owner && d.count && d.shares && d.mark;
  ok = ok && (ranks == 1 || adjacency_divide(graph, ranks, NULL, d.owner, error));
  for (int r = 0; ok && r < ranks; r++) d.mark[r] = -1;
  if (ok) count_nodes(&d, graph), count_cells(&d, mesh), count_neighbours(&d);
  for (int r = 0; ok && r < ranks; r++)
    if (d.count[r].owned == 0)
      ok = error_set(error, "--ranks: the mesh has too few nodes (%d) for %d processes; give fewer processes",
                     mesh->node_count, ranks);
  if (ok) print_counts(&d, mesh);
  free(d.owner), free(d.count), free(d.shares), free(d.mark);
  return ok;
}
