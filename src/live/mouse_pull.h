// Commands from the mouse on a picture: grab a patch, pull it, cut the body. The window and the web server use them.
// Pixels are counted from the upper left corner of a picture of size[0] x size[1] pixels.
#pragma once
#include "live/command.h"
#include "render/picker.h"

/// Computes X, m: the position of a picked point in the undeformed body.
void mouse_point_at_rest(const TetMesh *mesh, const Pick *pick, double X[3]);

/// Returns the command that grabs the picked patch. radius: m; stiffness: N/m, 0: the simulation chooses. pushes: the
/// command places a ball in front of the picked point instead, and pick->point becomes its centre.
Command mouse_grab(const TetMesh *mesh, const Camera *camera, const double pixel[2], const int size[2], double radius,
                   double stiffness, bool pushes, Pick *pick);

/// Computes the position to which the mouse pulls the picked point, m. It lies under the pixel in a plane parallel to
/// the picture. This plane passes through the picked point, shifted by `depth` m along the view direction.
void mouse_target(const Camera *camera, const double pixel[2], const int size[2], const Pick *pick, double depth,
                  double target[3]);

/// Returns the command that cuts in the plane through the eye and a line between two pixels. The cut ends at the ends
/// of the line.
Command mouse_cut(const Camera *camera, const double from[2], const double to[2], const int size[2]);
