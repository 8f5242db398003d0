// Registers the stages of the lab. A stage is one exchangeable method: a matrix format, an assembly, a solver or the
// formulas of an element. These stages are used only by stationary problems and by the studies of the papers.
#pragma once

/// Adds the lab's stages to the program's list of stages. A program calls this function once, when it starts.
void lab_add_stages(void);
