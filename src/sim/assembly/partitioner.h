// Names of the methods that divide a mesh into parts; partition.h has the functions.
#pragma once

// Method by which assembly sharednz divides the mesh into parts.
typedef enum Partitioner { PARTITION_GREEDY, PARTITION_METIS } Partitioner;
