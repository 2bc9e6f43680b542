import type { Pool } from 'pg';
import { z } from 'zod';
import type { InvitationStore } from '../../account/ports.ts';
import { queryOf, stored } from './transaction.ts';

const find = `
  select i.account_id, a.name as account, a.plan, i.expires_at
  from account_invitations i join accounts a on a.id = i.account_id
  where i.hash = $1 and i.used_at is null and i.expires_at > now() and a.active`;
const row = z.object({ account_id: z.int(), account: z.string(), plan: z.string(), expires_at: z.date() });

export function createInvitationStore(pool: Pool, timeoutMs: number): InvitationStore {
  return {
    find: (hash) =>
      stored(async () => {
        const found = row.optional().parse((await queryOf(pool, timeoutMs)(find, [hash]))[0]);
        if (found === undefined) return null;
        return {
          accountId: found.account_id,
          account: found.account,
          plan: found.plan,
          expiresAt: found.expires_at,
        };
      }),
  };
}
