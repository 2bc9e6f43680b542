/** A signal that aborts some time after another one, so that requests under way can end by themselves. */
export class DrainSignal {
  readonly signal: AbortSignal;
  readonly #source: AbortSignal;
  readonly #onAbort: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(source: AbortSignal, graceMs: number) {
    const controller = new AbortController();
    this.signal = controller.signal;
    this.#source = source;
    this.#onAbort = () => {
      this.#timer = setTimeout(() => controller.abort(source.reason), graceMs);
    };
    if (source.aborted) this.#onAbort();
    else source.addEventListener('abort', this.#onAbort, { once: true });
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#source.removeEventListener('abort', this.#onAbort);
  }
}
