// The blocks of a matrix over the nodes of a simplex mesh (paper 004, section 4.3): how many each row has, by Eq. 6,
// where rows begin, and the columns, all on the topology's device. Bin-BCSR* or plain rows of blocks, as the operators
// `binbcsr`, `binbcsr_sorted` and `bcsr` lay them out.
#pragma once
#include "lab/simplex/topology.h"
#include "sim/operator/formats/block_layout.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed SimplexPattern is empty. Kernels take it by value. A slot is a place for a block.
typedef struct SimplexPattern {
  int bin;             // rows side by side: 32, or 1 in plain rows
  bool own_apart;      // nodes' own blocks stand behind all slots, not among them
  bool sorted;         // rows by falling length over the whole mesh
  int rows;            // nodes
  int group_count;     // of `bin` slots side by side
  BlockLayout layout;  // start [bins + 1] in groups; slot j of row r is (start[r / bin] + j) * bin + r % bin
} SimplexPattern;

/// The operators' names; NULL behind them.
extern const char *const simplex_formats[];

/// The four steps, in this order. The first takes what the format's name says; all fail for lack of memory, or where
/// the blocks are more than an int counts.
bool simplex_pattern_count(SimplexPattern *m, const SimplexTopology *t, const char *format, Error *error);
bool simplex_pattern_offsets(SimplexPattern *m, const SimplexTopology *t, Error *error);
bool simplex_pattern_reserve(SimplexPattern *m, const SimplexTopology *t, Error *error);
bool simplex_pattern_columns(SimplexPattern *m, const SimplexTopology *t, Error *error);
void simplex_pattern_destroy(SimplexPattern *m, Device device);

static inline int64_t simplex_slots(const SimplexPattern *m) {
  return (int64_t)m->group_count * m->bin;
}

// What each slot is the sum of: sources (tet * nodes of a tet + row's node) * nodes of a tet + column's node, in the
// order of the row's tets. A zeroed EntryMap is empty.
typedef struct EntryMap {
  int *end;     // [slots], where a slot's sources end; they begin where the slot's before end
  int *source;  // nodes' own blocks that are apart are not listed: SimplexCells has their tets
} EntryMap;

/// How many sources a map lists.
int64_t simplex_source_count(const SimplexPattern *m, const SimplexTopology *t);

/// Fails for lack of memory, or where there are more sources than an int counts.
bool simplex_entry_map(EntryMap *map, const SimplexPattern *m, const SimplexTopology *t, Error *error);
void simplex_entry_map_destroy(EntryMap *map, Device device);

// The twins of these steps, pattern.c and pattern.cu.
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
