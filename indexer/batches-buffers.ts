import { Capacity } from './pressure-gate.ts';

/** Memory for one batch, counted against the budget until it is released. */
export interface HeldBuffer {
  readonly buffer: Buffer;
  /** Once. `reusable`: nobody, not even a socket, can still read or write it. */
  release(reusable: boolean): void;
}

/**
 * The bytes that batches may hold at the same time, over all kinds. Buffers are used again: left to the garbage
 * collector they would pile up to several times the budget before it looks at them (measured: 500 MB resident).
 */
export class BatchBuffers {
  readonly #budget: Capacity;
  readonly #batchBytes: number;
  readonly #free: Buffer[] = [];

  constructor(budgetBytes: number, batchBytes: number) {
    this.#budget = new Capacity(budgetBytes);
    this.#batchBytes = batchBytes;
  }

  get heldBytes(): number {
    return this.#budget.taken;
  }

  /** Waits until so many bytes are free: those of a batch, or more for one oversized document. Rejects on abort. */
  async take(bytes: number, signal: AbortSignal): Promise<HeldBuffer> {
    const giveBack = await this.#budget.take(bytes, signal);
    const usual = bytes === this.#batchBytes;
    // Not from Node's shared slab, and not zeroed: every byte that is sent is written first.
    const buffer = (usual ? this.#free.pop() : undefined) ?? Buffer.allocUnsafeSlow(bytes);
    let held = true;
    return {
      buffer,
      release: (reusable) => {
        if (!held) return;
        held = false;
        if (usual && reusable) this.#free.push(buffer);
        giveBack();
      },
    };
  }
}
