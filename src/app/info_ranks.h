// `pliant info SCENE --ranks N`: shows how a body would be divided among N processes of MPI, without starting them.
#pragma once
#include "mesh/adjacency.h"
#include "mesh/tet_mesh.h"

/// Divides the nodes of the mesh among `ranks` processes, as the engine "petsc" does. `graph` has the neighbours of
/// each node. Prints the least, greatest and mean number of owned nodes, ghosts and cells per process. Also prints the
/// most bytes that a process receives when the values of its ghosts are copied from other processes, and estimates of
/// the memory of the processes. Fails if memory runs out, or if a process gets no node.
bool info_print_ranks(const TetMesh *mesh, const Adjacency *graph, int ranks, Error *error);
