import type { EndpointContext } from '../endpoint.ts';
import { NotInAccount } from '../errors/account-errors.ts';

/** The id in the address. Throws `NotInAccount` where it is none that a row could have. */
export function pathId(ctx: EndpointContext, what: string, where?: string): number {
  const { id = '' } = ctx.params;
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new NotInAccount(what, where);
  return Number(id);
}
