/** The outcome of `work`, or `fallback` where it takes longer. The signal is aborted then, so that work can stop. */
export async function withTimeout<Outcome>(
  timeoutMs: number,
  fallback: Outcome,
  work: (signal: AbortSignal) => Promise<Outcome>,
): Promise<Outcome> {
  const controller = new AbortController();
  const late = Promise.withResolvers<Outcome>();
  const timer = setTimeout(() => {
    controller.abort();
    late.resolve(fallback);
  }, timeoutMs);
  try {
    return await Promise.race([work(controller.signal), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
