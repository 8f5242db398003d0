// Balls and capsules as inscribed triangles: their corners lie on the round surface.
#pragma once

// Resolution: `around` corners in each row, `rows` rows from a pole to the equator, and `pieces` rows between the two
// equators of a capsule; 0 for a ball.
typedef struct Round {
  int around, rows, pieces;
} Round;

// resolution of the pushing ball, and its round_nodes
enum { PUSHER_AROUND = 20, PUSHER_ROWS = 5, PUSHER_NODES = 2 + (2 * PUSHER_ROWS - 1) * PUSHER_AROUND };
static const Round PUSHER_ROUND = { .around = PUSHER_AROUND, .rows = PUSHER_ROWS };

int round_nodes(Round round);
int round_triangles(Round round);

/// Chooses a resolution at which triangles deviate by at most `off` m from a ball of `radius` m, or from a capsule
/// whose centres are 2 `half` m apart. The resolution is bounded, so very large shapes have flat facets.
Round round_choose(double radius, double half, double off);

/// Writes corners [round_nodes] about the origin, with a capsule's axis along z from -half to half m, and triangles
/// [round_triangles] with outward normals; either may be NULL.
void round_make(Round round, double radius, double half, double (*X)[3], int (*triangle)[3]);
