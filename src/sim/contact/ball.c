// A ball as triangles: see ball.h. Rows of corners between two poles, each turned against the last by half a corner.
#include "sim/contact/ball.h"

#include <math.h>
#include <string.h>

static int corner(int row, int around) {
  if (row == 0) return 0;
  if (row == BALL_ROWS) return BALL_NODES - 1;
  return 1 + (row - 1) * BALL_AROUND + around % BALL_AROUND;
}

void ball_make(double radius, double (*X)[3], int (*triangle)[3]) {
  const double pi = acos(-1.0);
  int count = 0;
  for (int row = 0; X && row <= BALL_ROWS; row++)
    for (int k = 0; k < (row % BALL_ROWS ? BALL_AROUND : 1); k++) {
      const double down = pi * row / BALL_ROWS, turn = 2 * pi * (k + 0.5 * row) / BALL_AROUND;
      const double at[3] = { radius * sin(down) * cos(turn), radius * sin(down) * sin(turn), radius * cos(down) };
      memcpy(X[corner(row, k)], at, sizeof at);
    }
  for (int row = 0; triangle && row < BALL_ROWS; row++)
    for (int k = 0; k < BALL_AROUND; k++) {
      // of this row and the next, whose corner k is half a corner on
      const int a = corner(row, k), b = corner(row, k + 1), c = corner(row + 1, k), d = corner(row + 1, k + 1);
      const int down[3] = { a, c, b }, up[3] = { b, c, d };
      if (row > 0) memcpy(triangle[count++], down, sizeof down);
      if (row + 1 < BALL_ROWS) memcpy(triangle[count++], up, sizeof up);
    }
}
