// Registers the stages of the lab: storage formats, assemblies, solvers and elements that only stationary problems and
// the studies of the papers use.
#pragma once

/// Adds the lab's stages to the program's list of stages. A program calls it once, when it starts.
void lab_add_stages(void);
