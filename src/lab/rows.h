// Stages of the lab: storage formats, assemblies, solvers and elements that only the papers' studies and stationary
// problems use.
#pragma once

/// Adds the lab's rows to the list of stages. A program calls it once, when it starts.
void lab_add_stages(void);
