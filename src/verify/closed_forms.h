// Exact solutions for the neo-Hookean material W = mu/2 (F:F - 3) + lambda/2 ln^2 J - mu ln J, with deformation
// gradient F and J = det F.
#pragma once

// A block that is stretched along one or two axes. Its faces perpendicular to the other axes are free of stress.
typedef struct Stretched {
  double P;             // nominal stress along the stretched axes / Young's modulus
  double free_stretch;  // stretch along the free axes
} Stretched;

/// Returns stress and free stretch of a block that is stretched by `stretch` along its first `axes` axes, 1 or 2.
Stretched stretched(int axes, double stretch, double poisson);

/// Returns the stretch of a block under a pressure on all faces. pressure: divided by Young's modulus.
double pressed_stretch(double pressure, double poisson);

/// Returns the displacement of the inner side of a thick cylinder under an inner pressure, in plane strain. The inner
/// radius is the unit of length; the outer radius is `outer`. pressure: divided by Young's modulus.
double cylinder_inflation(double pressure, double poisson, double outer);

/// Returns u/L, the displacement of the free end of a bar of length L and Poisson's ratio 0 under its weight. load =
/// rho g L / E, positive if the bar hangs, with density rho, gravity g and Young's modulus E. The stretch at height Z
/// is (q + sqrt(q^2 + 4)) / 2 with q = 2 load (1 - Z/L).
double bar_tip(double load);

/// Returns u/L of the bar of bar_tip at height Z. The argument `Z` is Z/L: 0 at the held end, 1 at the free end.
double bar_displacement(double load, double Z);
