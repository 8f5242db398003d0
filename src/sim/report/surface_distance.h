// The distance between two bodies: the smallest distance between their surfaces.
#pragma once
#include "mesh/surface.h"
#include "sim/simulation.h"

/// Computes *distance, m, the smallest distance between the surfaces of bodies a and b of a mesh; 0 if they intersect.
/// x [node_count][3]: positions of the nodes, m. *distance is INFINITY if a body has no surface. Fails only if memory
/// runs out. Time grows as n log n with the number n of triangles.
bool surface_distance(const TetMesh *mesh, const Surface *surface, const double (*x)[3], int a, int b, double *distance,
                      Error *error);

/// Returns the smallest distance, m, of the surface nodes of body a from an obstacle, negative inside. The obstacle is
/// in its position at the time of x [node_count][3], the positions of the nodes, m.
double surface_distance_of_nodes(const TetMesh *mesh, const Surface *surface, const double (*x)[3], int a,
                                 const Obstacle *obstacle);
