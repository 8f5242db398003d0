// The pattern of a matrix of blocks over the nodes of a tet mesh (paper 004, section 4.3). The matrix has one block for
// each pair of nodes that share a tet. The pattern consists of the number of blocks in each row (Eq. 6 of the paper),
// the starts of rows, and the column of each block. The pattern is built on the device of the topology (topology.h).
// The matrix format is Bin-BCSR* (`binbcsr`, `binbcsr_sorted`) or plain compressed rows of blocks (`bcsr`).
#pragma once
#include "lab/simplex/topology.h"
#include "sim/operator/formats/block_layout.h"

#ifdef __cplusplus
extern "C" {
#endif

// The pattern: rows and columns of the blocks of a matrix. A slot is the index of one block and of its column. A bin is
// a number of successive rows whose slots are interleaved, and a group is one slot of each row of a bin. A zeroed
// SimplexPattern is empty. Kernels take it by value.
typedef struct SimplexPattern {
  // number of rows of a bin: 32 in the formats binbcsr and binbcsr_sorted, 1 in bcsr
  int bin;
  bool diagonal_apart;  // true: diagonal blocks have no slots; they are stored after all slots
  bool sorted;  // true: row 0 is the longest row of the whole mesh, and so on; layout.node gives the node of each row
  int rows;     // number of rows of blocks, which is the number of nodes
  int group_count;  // number of groups of all bins
  // A group is one block of each row of a bin. start [bins + 1]: number of groups before each bin. length [rows]:
  // number of blocks in the row of each node. column [slots]: column of each block. Slot j of row r has the number
  // (start[r / bin] + j) * bin + r % bin. With bins of 32 rows and start[1] = 20, slot 3 of row 33 is (20 + 3) * 32 +
  // 1.
  BlockLayout layout;
} SimplexPattern;

/// Names of the matrix formats, as the user types them; ends with NULL.
extern const char *const simplex_formats[];

/// These four functions are the steps that build a pattern, in this order: count the blocks of each row, compute the
/// starts of rows, allocate memory for columns, list the columns. `format` is one of simplex_formats. A step fails if
/// memory runs out, or if an int cannot count the blocks.
bool simplex_pattern_count(SimplexPattern *m, const SimplexTopology *t, const char *format, Error *error);
bool simplex_pattern_offsets(SimplexPattern *m, const SimplexTopology *t, Error *error);
bool simplex_pattern_reserve(SimplexPattern *m, const SimplexTopology *t, Error *error);
bool simplex_pattern_columns(SimplexPattern *m, const SimplexTopology *t, Error *error);
void simplex_pattern_destroy(SimplexPattern *m, Device device);

static inline int64_t simplex_slots(const SimplexPattern *m) {
  return (int64_t)m->group_count * m->bin;
}

// For each slot, the list of its sources. A slot is the index of one block of the matrix, and a source is a block of an
// element matrix that is added to it. A source is stored as one number, (tet * n + row's local node) * n + column's
// local node, where n is the number of nodes of a tet. For n = 4, source 57 is tet 3, row node 2, column node 1.
// Sources of a slot are in the order of the tets. A zeroed EntryMap is empty.
typedef struct EntryMap {
  // [slots]: index in `source` after the last source of each slot; the list of slot s begins at end[s - 1], or at 0
  int *end;
  // [simplex_source_count()]: the sources, slot by slot. If diagonal blocks have no slots, the sources of diagonal
  // blocks are not listed here; they are found from the tets at each node (SimplexCells).
  int *source;
} EntryMap;

/// Returns the number of sources that simplex_entry_map stores. A source is a block of an element matrix that is added
/// to a block of the matrix.
int64_t simplex_source_count(const SimplexPattern *m, const SimplexTopology *t);

/// Lists the sources of each block of the matrix: the blocks of element matrices that are added to it. Fails if memory
/// runs out, or if an int cannot count the sources.
bool simplex_entry_map(EntryMap *map, const SimplexPattern *m, const SimplexTopology *t, Error *error);
void simplex_entry_map_destroy(EntryMap *map, Device device);

// Functions that build a pattern on one device: pattern.c defines those for the CPU, and pattern.cu those for the GPU.
typedef struct PatternOperations {
  // step simplex_pattern_count: computes layout.length, the number of blocks in the row of each node
  bool (*count)(SimplexPattern *m, const SimplexTopology *t, Error *error);
  // step simplex_pattern_offsets: computes group_count, layout.start and, if the format sorts rows, layout.node
  bool (*offsets)(SimplexPattern *m, const SimplexTopology *t, Error *error);
  bool (*columns)(SimplexPattern *m, const SimplexTopology *t, Error *error);
  bool (*map)(EntryMap *map, const SimplexPattern *m, const SimplexTopology *t, Error *error);
} PatternOperations;
#ifdef PLIANT_CUDA
extern const PatternOperations simplex_pattern_cuda;
#endif

#ifdef __cplusplus
}
#endif
