// Scalar measures of a stress s [6], Pa: xx, yy, zz, xy, yz, xz.
#pragma once
#include <math.h>

#include "base/real.h"
#include "device/host_device.h"

/// Returns the von Mises equivalent stress, Pa.
HOST_DEVICE real von_mises_stress(const real s[6]) {
  const real xy = s[0] - s[1], yz = s[1] - s[2], zx = s[2] - s[0];
  const real shear = s[3] * s[3] + s[4] * s[4] + s[5] * s[5];
  return (real)sqrt((double)((real)0.5 * (xy * xy + yz * yz + zx * zx) + 3 * shear));
}

/// Returns the largest principal stress, Pa: the largest root of the stress matrix's characteristic polynomial, by the
/// trigonometric formula for three real roots. J2 and J3 are the second and third invariant of the stress deviator.
HOST_DEVICE real largest_principal_stress(const real s[6]) {
  const real mean = (s[0] + s[1] + s[2]) / 3;
  const real a = s[0] - mean, b = s[1] - mean, c = s[2] - mean;  // diagonal of the deviator
  const real xy = s[3], yz = s[4], xz = s[5];
  const real J2 = (real)0.5 * (a * a + b * b + c * c) + xy * xy + yz * yz + xz * xz;
  const real J3 = a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz);
  if (!(J2 > 0)) return mean;  // all principal stresses are equal
  const double radius = sqrt((double)J2 / 3);
  double cosine = (double)J3 / (2 * radius * radius * radius);
  cosine = cosine > 1 ? 1 : cosine < -1 ? -1 : cosine;  // rounding errors can exceed 1
  return mean + (real)(2 * radius * cos(acos(cosine) / 3));
}
