#pragma once

// Method by which the assembly "sharednz" divides the mesh into parts, groups of nodes (partition_create).
typedef enum Partitioner { PARTITION_GREEDY, PARTITION_METIS } Partitioner;
