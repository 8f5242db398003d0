// Answers that need no mesh: of the material W = mu/2 (F:F - 3) + lambda/2 ln^2 J - mu ln J.
#pragma once

typedef struct Stretched {
  double P;             // nominal stress along the stretched axes, over Young's modulus
  double free_stretch;  // of the other axes
} Stretched;

/// A block stretched along 1 or 2 axes, with the others free of stress.
Stretched stretched(int axes, double stretch, double poisson);

/// u/L of the free end of a bar of Poisson's ratio 0 under its own weight, load = rho g L / E, positive where it hangs;
/// the stretch at height Z is (q + sqrt(q^2 + 4)) / 2 with q = 2 load (1 - Z/L).
double bar_tip(double load);

/// u/L at Z/L of the same bar.
double bar_displacement(double load, double Z);
