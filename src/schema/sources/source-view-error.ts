/** A team's view can't be used. The message has the reason and the next step. */
export class SourceViewError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SourceViewError';
  }
}
