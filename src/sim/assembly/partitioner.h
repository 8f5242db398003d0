// The names of the ways to divide a mesh into parts; partition.h has the functions.
#pragma once

// How assembly sharednz divides the mesh into parts.
typedef enum Partitioner { PARTITION_GREEDY, PARTITION_METIS } Partitioner;
