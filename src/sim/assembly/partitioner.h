// Names of the methods that divide a mesh into parts. This header has no includes; partition.h has the functions.
#pragma once

// Method by which the assembly "sharednz" divides the mesh into parts; partition_create explains both.
typedef enum Partitioner { PARTITION_GREEDY, PARTITION_METIS } Partitioner;
