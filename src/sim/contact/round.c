// Triangle meshes of balls and capsules (round.h). Rows of corners run around the axis, between two poles. Each row is
// rotated against the row before, by half the angle between two corners, so that triangles are nearly equilateral. Rows
// along a capsule's cylinder are not rotated, so that objects slide straight along it.
#include "sim/contact/round.h"

#include <math.h>
#include <string.h>

enum { AROUND_LEAST = 16, AROUND_MAX = 192, PIECES_MAX = 64 };  // limits of Round.around (AROUND_) and Round.pieces

// Returns the number of rows of corners between the two poles, the ends of the axis.
static int inner_rows(Round round) {
  return 2 * round.rows - 1 + round.pieces;
}

int round_nodes(Round round) {
  return 2 + inner_rows(round) * round.around;
}

int round_triangles(Round round) {
  return 2 * inner_rows(round) * round.around;
}

Round round_choose(double radius, double half, double off) {
  // The chord over an angle a, radians, deviates from the circle by radius * (1 - cos(a / 2)), about radius * a^2 / 8.
  const double pi = acos(-1.0), sides = fmin(fmax(pi * sqrt(radius / (2 * off)), AROUND_LEAST), AROUND_MAX);
  const int rows = (int)ceil(sides / 4), around = 4 * rows;
  // Triangles on a cylinder are at most about four times as long as wide. Longer triangles would have much larger
  // bounding boxes, which slow down the search for contact pairs.
  const double pieces = half > 0 ? fmin(fmax(2 * half * around / (8 * pi * radius), 1), PIECES_MAX) : 0;
  return (Round){ around, rows, (int)ceil(pieces) };
}

static int corner(Round round, int row, int around) {
  if (row == 0) return 0;
  if (row > inner_rows(round)) return round_nodes(round) - 1;
  return 1 + (row - 1) * round.around + around % round.around;
}

void round_make(Round round, double radius, double half, double (*X)[3], int (*triangle)[3]) {
  const double pi = acos(-1.0);
  const int last = inner_rows(round) + 1;
  int count = 0;
  for (int row = 0; X && row <= last; row++)
    for (int k = 0; k < (row % last ? round.around : 1); k++) {
      // A capsule has a cylinder between two half spheres. `along` is the number of bands of triangles on the cylinder
      // that lie before this row. They are subtracted, because these bands do not change the angle from the pole.
      const int along = row < round.rows ? 0 : row - round.rows > round.pieces ? round.pieces : row - round.rows;
      const double down = pi * (row - along) / (2 * round.rows),
                   turn = 2 * pi * (k + 0.5 * (row - along)) / round.around;
      const double shift = round.pieces > 0 ? half * (1 - 2.0 * along / round.pieces) : 0;
      const double at[3] = { radius * sin(down) * cos(turn), radius * sin(down) * sin(turn),
                             radius * cos(down) + shift };
      memcpy(X[corner(round, row, k)], at, sizeof at);
    }
  for (int row = 0; triangle && row < last; row++)
    for (int k = 0; k < round.around; k++) {
      // Triangles between this row and the next. Corner k of the next row is turned further than corner k of this row,
      // by half the angle between two corners. On a cylinder it is directly below corner k.
      const int a = corner(round, row, k), b = corner(round, row, k + 1), c = corner(round, row + 1, k),
                d = corner(round, row + 1, k + 1);
      const int down[3] = { a, c, b }, up[3] = { b, c, d };
      if (row > 0) memcpy(triangle[count++], down, sizeof down);
      if (row + 1 < last) memcpy(triangle[count++], up, sizeof up);
    }
}
