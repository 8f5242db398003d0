// Balls and capsules as triangles, inscribed: their corners are on the round surface.
#pragma once

// How finely: `around` corners in each row, `rows` rows from a pole to the middle, and of a capsule so many `pieces`
// between its two middles; a ball has none.
typedef struct Round {
  int around, rows, pieces;
} Round;

// the ball that a hand pushes with, and its round_nodes
enum { PUSHER_AROUND = 20, PUSHER_ROWS = 5, PUSHER_NODES = 2 + (2 * PUSHER_ROWS - 1) * PUSHER_AROUND };
static const Round PUSHER_ROUND = { .around = PUSHER_AROUND, .rows = PUSHER_ROWS };

int round_nodes(Round round);
int round_triangles(Round round);

/// As fine as leaves no more than `off` m between triangles and a ball or capsule of `radius` m whose middles are
/// 2 `half` m apart, within bounds: the largest have flat patches.
Round round_choose(double radius, double half, double off);

/// Corners [round_nodes] about the origin, `half` m of a capsule along z, and triangles [round_triangles], turned
/// outward; either may be NULL.
void round_make(Round round, double radius, double half, double (*X)[3], int (*triangle)[3]);
