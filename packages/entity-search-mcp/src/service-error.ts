/** The service could not be reached or used. The message gives people and models the next step. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
}

/** Returns the `ServiceError` inside a wrapped error; undefined if there is none. */
export function serviceErrorIn(error: unknown): ServiceError | undefined {
  let current = error;
  for (let depth = 0; depth < 8 && current instanceof Error; depth += 1) {
    if (current instanceof ServiceError) return current;
    current = current.cause;
  }
  return undefined;
}
