// Moves bodies apart that overlap in the initial mesh, before a simulation is created. Self-contact needs an initial
// state without overlap.
#pragma once
#include "mesh/tet_mesh.h"
#include "sim/simulation.h"

/// Moves two bodies apart if they intersect or are closer than the distance of self-contact. Also moves bodies away
/// from obstacles that they intersect, and out of boxes, spheres and capsules that contain them. Each move is along the
/// coordinate axis on which the two bounding boxes overlap least. If both bodies are free, each moves by half of the
/// overlap. Obstacles do not move. Held bodies do not move either: these have a pinned node. `pinned` [node_count] is
/// as in simulation_create; NULL: no pins. Free bodies are also moved out of planes and the floor. If the mesh has no
/// body numbers, its connected parts are the bodies.
/// *farthest is the largest displacement of a node, m. The mesh changes only on success. Fails if a body intersects
/// itself, two held bodies overlap, or there are too many moves. Messages number bodies from 0.
bool bodies_untangle(TetMesh *mesh, const SimulationSettings *settings, const uint8_t *pinned, double *farthest,
                     Error *error);

/// Moves free bodies (without pinned nodes) out of planes and the floor, to the distance at which self-contact begins.
/// x [node_count][3] m has the nodal positions, which are changed. `time`, s, determines the positions of moving
/// planes. A body between several planes may end in one of them. Fails if memory runs out.
bool bodies_lift(const TetMesh *mesh, const SimulationSettings *settings, const uint8_t *pinned, double time,
                 double (*x)[3], Error *error);
