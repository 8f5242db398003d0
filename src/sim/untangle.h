// Moves bodies apart that overlap in the initial mesh, before a simulation is created. Self-contact needs an initial
// state without overlap.
#pragma once
#include "mesh/tet_mesh.h"
#include "sim/simulation.h"

/// Moves bodies apart that intersect or are closer than the distance of self-contact, and away from obstacles that they
/// intersect or that contain them. A move is along the coordinate axis on which the two bounding boxes overlap least.
/// Two free bodies move by equal distances. Obstacles do not move, nor do held bodies, which have a pinned node. Free
/// bodies are also moved out of planes and the floor.
///
/// pinned [node_count] is as in simulation_create; NULL: no pins. Without body numbers in the mesh, its connected
/// pieces are the bodies. *farthest is the largest displacement of a node, m. The mesh changes only on success. Fails
/// if a body intersects itself, if two held bodies overlap, or after too many moves. Messages number bodies from 0.
bool bodies_untangle(TetMesh *mesh, const SimulationSettings *settings, const uint8_t *pinned, double *farthest,
                     Error *error);

/// Moves free bodies, those without pinned nodes, out of planes and the floor, to the distance at which self-contact
/// begins. x [node_count][3], m, are the nodes' positions, which are changed. Planes are at their positions at `time`,
/// s. A body that is squeezed between several planes may still intersect one of them afterwards. Fails if memory runs
/// out.
bool bodies_lift(const TetMesh *mesh, const SimulationSettings *settings, const uint8_t *pinned, double time,
                 double (*x)[3], Error *error);
