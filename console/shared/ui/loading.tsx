export function Spinner({ label = 'Loading' }: { readonly label?: string }) {
  return (
    <span class="spinner-box" role="status">
      <span class="spinner" aria-hidden="true" />
      <span class="visually-hidden">{label}</span>
    </span>
  );
}

/** Placeholder lines for text that is loading. */
export function Skeleton({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div class="skeleton" aria-hidden="true">
      {Array.from({ length: lines }, (_, at) => (
        <span key={at} />
      ))}
    </div>
  );
}

export function PageLoading() {
  return (
    <div class="page">
      <h1 class="visually-hidden">Loading</h1>
      <Spinner />
      <Skeleton lines={6} />
    </div>
  );
}
