// Integration rule with 14 points in a tet, exact for polynomials of degree 5 (Walkington, Quadrature on simplices of
// arbitrary dimension, 2000). Points 0 to 3 are near the middles of faces, 4 to 7 near corners, 8 to 13 near the
// middles of edges. The function tet_rule14 computes l, the barycentric coordinates of point q. It returns the weight
// of the point: its part of the cell's volume, as a fraction.
#pragma once
#include "base/real.h"
#include "device/host_device.h"

enum { TET_RULE14_POINTS = 14 };

HOST_DEVICE real tet_rule14(int q, real l[4]) {
  const real inner = (real)0.31088591926330060980, outer = (real)0.092735250310891226402;
  const real far = (real)0.045503704125649649492;
  for (int c = 0; c < 4; c++) {
    if (q < 8) {
      const real others = q < 4 ? inner : outer;
      l[c] = c == q % 4 ? 1 - 3 * others : others;
    } else {
      // Points 8 to 13 belong to the edges 01, 12, 02, 03, 13, 23. l is 1/2 - far for the edge's two corners, and `far`
      // for the other two. Each hexadecimal digit of the constant is for one edge, the last digit for edge 01. Bit c of
      // a digit is 1 if corner c is on the edge. Example: the last digit, 3, has bits 0011 for the corners 0 and 1.
      const int both = 0xca9563 >> 4 * (q - 8) & 15;
      l[c] = both >> c & 1 ? (real)0.5 - far : far;
    }
  }
  return q < 4 ? (real)0.11268792571801585080 : q < 8 ? (real)0.073493043116361949544 : (real)0.042546020777081466438;
}
