// Products with T, the matrix of contact (term_rows.h), in the resident solver, whose products are then (A + T) u. A
// part is a group of nodes with their rows of A. One thread block processes a part. Contacts are close together in
// space, so few parts have most rows of T. Therefore all thread blocks share the work: the rows of T are distributed
// evenly.
//
// The product T u takes three steps. Parts send each other numbers by packets, which have 16 bytes in device memory.
//
//   1. For each of its nodes that has a row in T, a part writes u to a packet. The array of these packets is the board.
//   2. A warp waits for the packets of the nodes in a row's entries, and writes the product of the row to a packet.
//   3. The thread that owns the row's node waits for this product.
// A packet is overwritten in the next iteration. Before that, all parts exchange sums, so all have read the packet.
#pragma once
#include "sim/resident/resident_decide.cuh"

// Adds the contribution of one entry, a contact of the row's node with three other nodes (term_rows.h), to y, the
// product of the row with u. Waits for the packets with u of these nodes on the board. Returns false if one of the
// packets does not arrive in time.
static __device__ __forceinline__ bool add_term_entry(const TermEntry *entry, const Packet *board, unsigned number,
                                                      real y[3]) {
  const Packet *from[3];
  real u[3][3], s[3] = { 0, 0, 0 };
#pragma unroll
  for (int j = 0; j < 3; j++) from[j] = board + (size_t)entry->node[j] * PACKETS;
  unsigned missing = 1;
  for (int tries = 0; missing && tries < TRIES; tries++) {  // reads the packets of all three nodes
    missing = 0;
#pragma unroll
    for (int j = 0; j < 3; j++) missing |= receive(from[j], u[j]) ^ number;
  }
#pragma unroll
  for (int j = 0; j < 3; j++) {
    const real weight = (real)entry->weight[j];
#pragma unroll
    for (int i = 0; i < 3; i++) s[i] += weight * u[j][i];
  }
  const real xy = (real)entry->B[3], xz = (real)entry->B[4], yz = (real)entry->B[5];
  y[0] += (real)entry->B[0] * s[0] + xy * s[1] + xz * s[2];
  y[1] += xy * s[0] + (real)entry->B[1] * s[1] + yz * s[2];
  y[2] += xz * s[0] + yz * s[1] + (real)entry->B[2] * s[2];
  return !missing;
}

/// Computes T u, with T the matrix of contact, one row of T per warp at a time. board [node_count][PACKETS] has packets
/// with u of the nodes. The products of the rows are written to sums [rows][PACKETS]. Returns false if u of a node does
/// not arrive in time.
static __device__ __forceinline__ bool multiply_term(const TermRows &rows, const Packet *board, Packet *sums,
                                                     unsigned number) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  bool come = true;
#pragma unroll 1
  for (int at = blockIdx.x + gridDim.x * warp; at < rows.count; at += gridDim.x * WARPS) {
    real y[3] = { 0, 0, 0 };
#pragma unroll 1
    for (int list = 0; list < 2; list++) {
      const TermEntry *entry = rows.entry[list] + rows.row[at].start[list];
#pragma unroll 1
      for (int e = lane; e < rows.row[at].count[list]; e += 32)
        come = add_term_entry(entry + e, board, number, y) && come;
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 3; i++)
      for (int step = 16; step > 0; step /= 2) y[i] += __shfl_xor_sync(0xffffffff, y[i], step);
    if (lane == 0) send(sums + (size_t)at * PACKETS, y, number);
  }
  return come;
}
