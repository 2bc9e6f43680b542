/** A view of the team's can't be used; the message gives the reason and the next step. */
export class SourceViewError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SourceViewError';
  }
}
