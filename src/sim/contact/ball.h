// A ball as triangles, for the one that a hand pushes with.
#pragma once

enum { BALL_ROWS = 10, BALL_AROUND = 20 };
enum { BALL_NODES = 2 + (BALL_ROWS - 1) * BALL_AROUND, BALL_TRIANGLES = 2 * (BALL_ROWS - 1) * BALL_AROUND };

/// Corners on a ball of `radius` m about the origin, [BALL_NODES][3], and its triangles [BALL_TRIANGLES], turned
/// outward; either may be NULL.
void ball_make(double radius, double (*X)[3], int (*triangle)[3]);
