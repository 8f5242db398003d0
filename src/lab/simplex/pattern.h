// The pattern of a matrix of blocks over the nodes of a tet mesh (paper 004, section 4.3): lengths of rows by Eq. 6,
// starts of rows, and columns. It is built on the topology's device. The layout is Bin-BCSR* or plain rows of blocks,
// as in the formats `binbcsr`, `binbcsr_sorted` and `bcsr`.
#pragma once
#include "lab/simplex/topology.h"
#include "sim/operator/formats/block_layout.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed SimplexPattern is empty. Kernels take it by value. A slot holds one block of the matrix. A bin is a number
// of rows whose blocks are interleaved.
typedef struct SimplexPattern {
  // rows of a bin: 32, or 1 for plain rows
  int bin;
  bool diagonal_apart;  // diagonal blocks are stored after all slots, not in slots
  bool sorted;          // rows are sorted by decreasing length over the whole mesh
  int rows;             // number of rows, which is the number of nodes
  int group_count;      // number of groups; a group is one slot of each row of a bin
  // `start` [bins + 1] counts groups. Slot j of row r is (start[r / bin] + j) * bin + r % bin.
  BlockLayout layout;
} SimplexPattern;

/// Names of the formats; ends with NULL.
extern const char *const simplex_formats[];

/// The four steps that build a pattern, in this order. The first also decodes the name of the format. Each fails if
/// memory runs out, or if there are more blocks than an int can count.
bool simplex_pattern_count(SimplexPattern *m, const SimplexTopology *t, const char *format, Error *error);
bool simplex_pattern_offsets(SimplexPattern *m, const SimplexTopology *t, Error *error);
bool simplex_pattern_reserve(SimplexPattern *m, const SimplexTopology *t, Error *error);
bool simplex_pattern_columns(SimplexPattern *m, const SimplexTopology *t, Error *error);
void simplex_pattern_destroy(SimplexPattern *m, Device device);

static inline int64_t simplex_slots(const SimplexPattern *m) {
  return (int64_t)m->group_count * m->bin;
}

// For each slot, its sources: the blocks of element matrices that are summed into it, in the order of the row's tets. A
// source is one number, (tet * n + row's local node) * n + column's local node, with n nodes per tet. For n = 4, source
// 57 is tet 3, row node 2, column node 1. A zeroed EntryMap is empty.
typedef struct EntryMap {
  int *end;  // [slots], end of a slot's sources, which begin at the end of the previous slot
  // the sources. If diagonal blocks are stored apart, they have no sources here: SimplexCells lists their tets.
  int *source;
} EntryMap;

/// Number of sources of a map.
int64_t simplex_source_count(const SimplexPattern *m, const SimplexTopology *t);

/// Builds a map. Fails if memory runs out, or if an int cannot count the sources.
bool simplex_entry_map(EntryMap *map, const SimplexPattern *m, const SimplexTopology *t, Error *error);
void simplex_entry_map_destroy(EntryMap *map, Device device);

// Implementations of the steps, pattern.c and pattern.cu.
typedef struct PatternOperations {
  bool (*count)(SimplexPattern *m, const SimplexTopology *t, Error *error);    // length [rows]
  bool (*offsets)(SimplexPattern *m, const SimplexTopology *t, Error *error);  // start, node and group_count
  bool (*columns)(SimplexPattern *m, const SimplexTopology *t, Error *error);
  bool (*map)(EntryMap *map, const SimplexPattern *m, const SimplexTopology *t, Error *error);
} PatternOperations;
#ifdef PLIANT_CUDA
extern const PatternOperations simplex_pattern_cuda;
#endif

#ifdef __cplusplus
}
#endif
