// Times products with the matrix of a tet mesh in several matrix formats, and updates of the matrix after a cut, for
// the study of paper 004 (Mueller-Roemer and Stork).
#pragma once
#include "lab/simplex/simplex_matrix.h"

// Time and size of a matrix in one format.
typedef struct FormatTimes {
  double seconds;  // median time of a product y = A x
  double padding;  // number of stored zeros that fill rows, divided by the number of entries of the matrix
  double bytes;    // bytes of values and columns
  double off;      // relative L2 difference of y from the product with the matrix in format "bcsr"
} FormatTimes;

/// Names of the formats that are compared; ends with NULL. The first one is "bcsr".
extern const char *const product_formats[];

/// Copies the matrix A, which must be in format "bcsr" on the CPU, to the format number `format` of product_formats on
/// a device. Times `repeat` products with a random vector.
bool simplex_time_product(const SimplexMatrix *A, int format, Device device, int repeat, FormatTimes *times,
                          Error *error);

// A cut of a mesh, which removes some of its tets.
typedef enum SimplexCut {
  CUT_PLANE,   // the tets that a plane through the mesh cuts
  CUT_VERTEX,  // the tets at the vertex nearest to the origin
  SIMPLEX_CUTS
} SimplexCut;
extern const char *const simplex_cut_names[SIMPLEX_CUTS];

// Times, s, of updates and constructions on the CPU, each the median of several runs.
typedef struct UpdateTimes {
  int tets;                // number of tets that the cut removes
  double remove, restore;  // update of the matrix after the tets are removed, and after they are put back
  double anew;             // construction of the matrix of the tets that are left, with edges and faces
  double off;              // number of matrix values whose bits differ after the tets have been put back
} UpdateTimes;

/// Times local updates (simplex_matrix_update) after a cut of the mesh, and constructions anew, on the CPU.
bool simplex_time_update(const TetMesh *mesh, int degree, const SimplexBuild *build, SimplexCut cut, int repeat,
                         UpdateTimes *times, Error *error);
