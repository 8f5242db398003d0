// Triangle meshes of balls and capsules, with all corners on the round surface.
#pragma once

// Resolution of a mesh of a ball or capsule. The mesh has a corner at each of the two poles, and between them rows of
// corners on circles of latitude. Between two rows lies a band of triangles. around: number of corners of a row. rows:
// number of bands from a pole to the equator. pieces: number of bands along a capsule's cylinder; 0 for a ball.
typedef struct Round {
  int around, rows, pieces;
} Round;

// Resolution of the ball with which a user can push (simulation_push), and its number of nodes.
enum { PUSHER_AROUND = 20, PUSHER_ROWS = 5, PUSHER_NODES = 2 + (2 * PUSHER_ROWS - 1) * PUSHER_AROUND };
static const Round PUSHER_ROUND = { .around = PUSHER_AROUND, .rows = PUSHER_ROWS };

/// Return the number of corners (round_nodes) and of triangles (round_triangles) of a mesh with the resolution `round`.
int round_nodes(Round round);
int round_triangles(Round round);

/// Chooses a resolution at which triangles deviate by at most `off`, m, from a ball of `radius`, m, or from a capsule
/// of this radius whose cylinder is 2 * half m long. The resolution is limited, so very large shapes deviate by more.
Round round_choose(double radius, double half, double off);

/// Writes the corners X [round_nodes][3], m, and the triangles [round_triangles][3] with outward normals. Each of the
/// two arrays may be NULL. The centre is the origin; a capsule's cylinder is along z from -half to half, m.
void round_make(Round round, double radius, double half, double (*X)[3], int (*triangle)[3]);
