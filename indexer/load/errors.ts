import { RefusedError } from '../errors.ts';

/** This worker was not seen for so long, or its part was given to another: nothing more may be sent for it. */
export class ClaimLostError extends Error {
  constructor() {
    super('The parts that were being loaded here were given to another worker.');
    this.name = 'ClaimLostError';
  }
}

/** The load that was helped with has ended, or nobody leads it any more. */
export class LoadEndedError extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'LoadEndedError';
  }
}

/** A worker found that nobody should go on, such as too many rejected documents. */
export class LoadStoppedError extends RefusedError {}

/** This process must not help with a load, or finds none to help with. */
export class JoinRefusedError extends RefusedError {}

/** Somebody removed parts while they were loaded. */
export class PartsLostError extends Error {
  constructor() {
    super('Parts of the load were removed from search_load_parts. The load begins again when it is resumed.');
    this.name = 'PartsLostError';
  }
}
