// Exact solutions that need no mesh, for the neo-Hookean material W = mu/2 (F:F - 3) + lambda/2 ln^2 J - mu ln J, where
// F is the deformation gradient and J its determinant.
#pragma once

typedef struct Stretched {
  double P;             // nominal stress along the stretched axes, divided by Young's modulus
  double free_stretch;  // stretch of the other axes
} Stretched;

/// Returns the stress of a block that is stretched by `stretch` along 1 or 2 axes, and the stretch along its other
/// axes, on which no stress acts.
Stretched stretched(int axes, double stretch, double poisson);

/// Returns the stretch of a block under a pressure from all sides. `pressure` is divided by Young's modulus.
double pressed_stretch(double pressure, double poisson);

/// Returns the displacement of the inner side of a thick cylinder under a pressure inside, in plane strain. The inner
/// radius is 1, the outer radius `outer`. `pressure` is divided by Young's modulus.
double cylinder_inflation(double pressure, double poisson, double outer);

/// Returns u/L, the displacement of the free end of a bar over its length. The bar has Poisson's ratio 0 and is loaded
/// by its weight, load = rho g L / E with density rho, gravity g, length L and Young's modulus E; load is positive if
/// the bar hangs. The stretch at height Z is (q + sqrt(q^2 + 4)) / 2 with q = 2 load (1 - Z/L).
double bar_tip(double load);

/// Returns u/L of the bar of bar_tip at the height Z, which is given as Z/L.
double bar_displacement(double load, double Z);
