// Elements and solvers of stationary problems, as `pliant-lab info` prints them.
#pragma once

void print_steady_stages(void);
