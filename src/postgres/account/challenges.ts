import type { ChallengeBinding, GivenChallenge } from '../../account/credentials.ts';
import { hashToken } from '../../account/tokens.ts';
import type { Database } from '../statements.ts';
import type { AccountDatabase } from './transaction.ts';

const prune = `
  delete from account_challenges where hash in (
    select hash from account_challenges where expires_at <= now() order by expires_at limit 100 for update skip locked)`;

const add = `
  insert into account_challenges (hash, browser_hash, purpose, method, content, account_id, expires_at)
  values ($1, $2, $3, $4, $5, $6, now() + $7 * interval '1 ms')`;

const isOpen = `
  select from account_challenges where hash = $1 and browser_hash = $2 and purpose = $3 and method = $4
    and account_id is not distinct from $5 and expires_at > now()`;

const take = `
  delete from account_challenges where hash = $1 and browser_hash = $2 and purpose = $3 and method = $4
    and account_id is not distinct from $5 and expires_at > now()
  returning hash`;

/** Creates the store of challenges, in Postgres, so that every process knows them and only one can use each. */
export function createChallengeStore({ run }: AccountDatabase) {
  return {
    /** @param content the message to sign, or the passkey's challenge */
    add: (binding: ChallengeBinding, content: string, validMs: number) =>
      run(async (database) => {
        await database.query(prune, []);
        await database.query(add, [...valuesOf({ ...binding, hash: hashToken(content) }, content), validMs]);
      }),
    /** Returns true if the challenge was issued, has not expired and has not been used. Does not use it up. */
    isOpen: (challenge: GivenChallenge) =>
      run(async (database) => (await database.query(isOpen, valuesOf(challenge))).rows.length > 0),
    /** Invalidates a challenge that got an invalid answer. */
    discard: (challenge: GivenChallenge) => run(async (database) => void (await takeChallenge(database, challenge))),
  };
}

/** Uses a challenge up. Returns false if it was used before, has expired, or is for something else. */
export async function takeChallenge(database: Database, challenge: GivenChallenge): Promise<boolean> {
  return (await database.query(take, valuesOf(challenge))).rows.length > 0;
}

function valuesOf({ hash, browser, purpose, method, accountId }: GivenChallenge, ...content: readonly string[]) {
  return [hash, browser, purpose, method, ...content, accountId];
}
