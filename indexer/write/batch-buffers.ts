import { WeightedSemaphore } from '../../src/lib/concurrency/weighted-semaphore.ts';

/** Memory for one batch, counted against the budget until it is released. */
export interface HeldBuffer {
  readonly buffer: Buffer;
  /** Called once. `reusable`: no code or socket can still read or write it. */
  release(reusable: boolean): void;
}

/** The share of one index among several. */
export interface BufferShare extends Disposable {
  /** Waits until this many bytes are free: those of a batch, or more for one oversized document. Rejects on abort. */
  take(bytes: number, signal: AbortSignal): Promise<HeldBuffer>;
}

/**
 * The bytes that batches may hold at the same time, over all kinds. Buffers are reused: garbage collection would let
 * them pile up to several times the budget (measured: 500 MB resident).
 */
export class BatchBuffers {
  readonly #budgetBytes: number;
  readonly #budget: WeightedSemaphore;
  readonly #batchBytes: number;
  readonly #expected: number;
  readonly #free: Buffer[] = [];
  readonly #shares = new Set<WeightedSemaphore>();

  /** @param expected the number of expected shares: each has its part reserved before it is taken */
  constructor(budgetBytes: number, batchBytes: number, expected = 1) {
    this.#budgetBytes = budgetBytes;
    this.#budget = new WeightedSemaphore(budgetBytes);
    this.#batchBytes = batchBytes;
    this.#expected = expected;
  }

  get heldBytes(): number {
    return this.#budget.acquired;
  }

  /**
   * Returns a part of the budget for one index, as large as the others and at least one batch, so an index that is
   * stuck blocks no other. Must be disposed when writing ends.
   */
  share(): BufferShare {
    const mine = new WeightedSemaphore(0);
    this.#shares.add(mine);
    this.#divide();
    return {
      take: async (bytes, signal) => {
        const releaseBytes = await mine.acquire(bytes, signal);
        try {
          const held = await this.take(bytes, signal);
          return {
            buffer: held.buffer,
            release: (reusable) => {
              held.release(reusable);
              releaseBytes();
            },
          };
        } catch (error) {
          releaseBytes();
          throw error;
        }
      },
      [Symbol.dispose]: () => {
        this.#shares.delete(mine);
        this.#divide();
      },
    };
  }

  async take(bytes: number, signal: AbortSignal): Promise<HeldBuffer> {
    const releaseBytes = await this.#budget.acquire(bytes, signal);
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
        releaseBytes();
      },
    };
  }

  #divide(): void {
    const users = Math.max(this.#expected, this.#shares.size);
    const each = Math.max(this.#batchBytes, Math.floor(this.#budgetBytes / users));
    // With fewer batches than users, the budget is exceeded. Otherwise one user could hold all of it.
    this.#budget.setLimit(Math.max(this.#budgetBytes, this.#shares.size * this.#batchBytes));
    for (const share of this.#shares) share.setLimit(each);
  }
}
