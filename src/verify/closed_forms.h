// Exact solutions that need no mesh, for the material W = mu/2 (F:F - 3) + lambda/2 ln^2 J - mu ln J.
#pragma once

typedef struct Stretched {
  double P;             // nominal stress along the stretched axes, over Young's modulus
  double free_stretch;  // stretch of the other axes
} Stretched;

/// Returns the state of a block that is stretched along 1 or 2 axes. Along the other axes it has no stress.
Stretched stretched(int axes, double stretch, double poisson);

/// Returns the stretch of a block under a pressure from all sides. `pressure`: that pressure over Young's modulus.
double pressed_stretch(double pressure, double poisson);

/// Returns the displacement of the inner side of a thick cylinder in plane strain, with inner radius 1 and outer radius
/// `outer`. `pressure`: the pressure on the inner side over Young's modulus.
double cylinder_inflation(double pressure, double poisson, double outer);

/// Returns u/L, displacement over length, of the free end of a bar of Poisson's ratio 0 under its weight. load = rho g
/// L / E (density, gravity, length, Young's modulus), positive if the bar hangs. The stretch at height Z is (q +
/// sqrt(q^2 + 4)) / 2 with q = 2 load (1 - Z/L).
double bar_tip(double load);

/// Returns u/L of this bar at Z/L.
double bar_displacement(double load, double Z);
