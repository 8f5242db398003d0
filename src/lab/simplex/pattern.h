// The pattern of a matrix of blocks over the nodes of a simplex mesh (paper 004, section 4.3): row lengths by Eq. 6,
// row starts and columns, on the topology's device. The layout is Bin-BCSR* or plain rows of blocks, as in the
// operators `binbcsr`, `binbcsr_sorted` and `bcsr`.
#pragma once
#include "lab/simplex/topology.h"
#include "sim/operator/formats/block_layout.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed SimplexPattern is empty. Kernels take it by value. A slot holds one block.
typedef struct SimplexPattern {
  int bin;              // interleaved rows: 32, or 1 in plain rows
  bool diagonal_apart;  // diagonal blocks are stored after all slots, not in slots
  bool sorted;          // rows sorted by falling length over the whole mesh
  int rows;             // nodes
  int group_count;      // groups of `bin` interleaved slots
  BlockLayout layout;   // start [bins + 1] in groups; slot j of row r is (start[r / bin] + j) * bin + r % bin
} SimplexPattern;

/// Names of the operators; ends with NULL.
extern const char *const simplex_formats[];

/// The four steps, in this order. The first decodes the format's name; all fail if memory runs out, or if an int cannot
/// count the blocks.
bool simplex_pattern_count(SimplexPattern *m, const SimplexTopology *t, const char *format, Error *error);
bool simplex_pattern_offsets(SimplexPattern *m, const SimplexTopology *t, Error *error);
bool simplex_pattern_reserve(SimplexPattern *m, const SimplexTopology *t, Error *error);
bool simplex_pattern_columns(SimplexPattern *m, const SimplexTopology *t, Error *error);
void simplex_pattern_destroy(SimplexPattern *m, Device device);

static inline int64_t simplex_slots(const SimplexPattern *m) {
  return (int64_t)m->group_count * m->bin;
}

// Sources that are summed into each slot, (tet * nodes of a tet + row's node) * nodes of a tet + column's node, in the
// order of the row's tets. A zeroed EntryMap is empty.
typedef struct EntryMap {
  int *end;     // [slots], end of a slot's sources; they begin at the end of the slot before
  int *source;  // diagonal blocks that are stored apart are not listed: SimplexCells has their tets
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
