// The obstacles of self-contact that settings have, as one surface: meshes of triangles in their order, then the ball
// that the mouse pushes with.
#pragma once
#include "sim/contact/skin.h"
#include "sim/simulation.h"

/// Where they are at time 0; of no nodes where there are none. Fails for lack of memory, and where there are too many
/// triangles; destroy releases it, also then.
bool rigid_surface_create(RigidSurface *rigid, const SimulationSettings *settings, Error *error);
void rigid_surface_destroy(RigidSurface *rigid);
