// Makes commands from mouse movements on a picture: grab a patch of nodes, pull this patch, cut the body. The window
// and the web server use these functions. A pixel is (x, y), counted from the upper left corner of a picture of size[0]
// x size[1] pixels.
#pragma once
#include "live/command.h"
#include "render/picker.h"

/// Computes X, m: the position of a picked point in the undeformed body.
void mouse_point_at_rest(const TetMesh *mesh, const Pick *pick, double X[3]);

/// Returns the command that grabs the nodes within `radius`, m, of the picked point, to be pulled by the mouse.
/// stiffness: stiffness of the spring, N/m; 0: the simulation chooses. If `pushes` is true, the command instead places
/// a ball (rigid sphere that follows the mouse) in front of the picked point, and pick->point becomes the ball's
/// centre.
Command mouse_grab(const TetMesh *mesh, const Camera *camera, const double pixel[2], const int size[2], double radius,
                   double stiffness, bool pushes, Pick *pick);

/// Computes target [3], m, the position to which the mouse pulls the picked point. It is the point under `pixel` in a
/// plane parallel to the picture. This plane is `depth` m farther from the camera than the picked point.
void mouse_target(const Camera *camera, const double pixel[2], const int size[2], const Pick *pick, double depth,
                  double target[3]);

/// Returns the command that cuts the body. The user has drawn a line from pixel `from` to pixel `to`. The cut is in the
/// plane through the camera's eye and this line, between the ends of the line.
Command mouse_cut(const Camera *camera, const double from[2], const double to[2], const int size[2]);
