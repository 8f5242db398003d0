// Estimate of contact's memory: see contact_bytes.h. It counts the arrays of skin.c, box_tree.c, box_blocks.c,
// nearby.c, contact.c and their CUDA versions. test_memory.c compares the estimate with the allocated memory.
#include "sim/contact/contact_bytes.h"

#include "sim/contact/contact.h"
#include "sim/contact/contact_cuda.h"

// Bytes of a vector of three doubles, of a double, and of an index.
enum { VECTOR = 3 * sizeof(double), NUMBER = sizeof(double), INDEX = sizeof(int) };

void contact_bytes(const StageSize *size, bool sticks, Device device, double on[2]) {
  // A closed surface has about half as many vertices as triangles, by Euler's formula.
  const double nodes = size->nodes, triangles = size->surface, vertices = triangles / 2, edges = 1.5 * triangles;
  const double items = triangles + edges, pairs = CONTACT_PAIRS * vertices;
  if (sticks) on[device] += anchors_bytes(pairs);

  // Arrays of skin.c, box_tree.c, nearby.c and contact.c follow. skin.c also needs a temporary array with three sides
  // for each triangle, to find the edges.
  on[DEVICE_CPU] += nodes * (VECTOR + 3 * NUMBER + 2 * INDEX) + triangles * (9 * INDEX + 3 * NUMBER);
  on[DEVICE_CPU] += items * (2 * INDEX + 2 * sizeof(BoxNode));

  // Blocks of boxes are two thirds full. Each level of the tree has an eighth of the blocks of the level below.
  const double slot = 8.0 / 7 * sizeof(BoxBlock) / BOX_BLOCK + 4 * INDEX;
  on[DEVICE_CPU] += nodes * (2 * VECTOR + 6 * sizeof(float)) + 1.5 * (items + vertices) * slot;
  on[DEVICE_CPU] += (vertices + edges) * sizeof(int64_t);
  on[DEVICE_CPU] += nodes * (5 * VECTOR + NUMBER + 3 * INDEX);
  if (device == DEVICE_CPU) {
    on[DEVICE_CPU] += pairs * (2 * sizeof(ContactPair) + 2 * sizeof(Touch) + 2 * INDEX);
    on[DEVICE_CPU] += pairs * (2 * sizeof(Coupling) + 8 * INDEX + sizeof(Sliding));
    return;
  }

  // Arrays of contact.cu and nearby.cu. `box`: a box has four vectors of three floats. `touch`: forces and energy of a
  // touching pair. A group of boxes has three indices and some 20 members. Vertices have no boxes.
  const double box = 12 * sizeof(float), touch = 14 * NUMBER;
  on[DEVICE_CUDA] += nodes * (8 * VECTOR + 2 * NUMBER + 3 * INDEX);
  on[DEVICE_CUDA] += vertices * (VECTOR + 8 * NUMBER + 9 * INDEX + sizeof(TermRow));
  on[DEVICE_CUDA] += edges * (INDEX + NUMBER);
  const double group = 3 * INDEX / 20.0, leaf = 4 * INDEX + group;
  on[DEVICE_CUDA] += items * (leaf + box + box / 20) + vertices * leaf;
  on[DEVICE_CUDA] += (vertices + edges) * CONTACT_CANDIDATES * 2 * INDEX;
  const double rows = 4 * (sizeof(TermEntry) + INDEX), tangent = sizeof(PairTangent) + VECTOR + INDEX + rows;

  // Arrays of pairs are allocated with 1.5 times the needed length.
  const double found = 2 * sizeof(ContactPair) + 7 * INDEX;
  on[DEVICE_CUDA] += 1.5 * pairs * (found + touch + 8 + 8 * INDEX + tangent);
  on[DEVICE_CUDA] += 1.5 * pairs * (sizeof(Sliding) + 11 * NUMBER + tangent);
}
