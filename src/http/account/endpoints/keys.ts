import { z } from 'zod';
import { accountKey, keys as keyList, createdKey as newKeyData, rotatedKey } from '../../../account/answers.ts';
import { keyExpiryProblem, visibleName } from '../../../account/key-rules.ts';
import { hourMs } from '../../../lib/durations.ts';
import { createRateLimiter } from '../../../lib/rate-limiter.ts';
import { counted } from '../../../lib/text/counted.ts';
import type { Deps } from '../../../ports.ts';
import type { Context } from '../../context.ts';
import { NotInAccount, TooMany, TooManyRequests } from '../../errors/account-errors.ts';
import { InvalidParameters } from '../../errors/errors.ts';
import { accountEndpoint } from '../account-endpoint.ts';
import { actorOf, sessionOf } from '../middleware/session.ts';

const tooManyKeys = 'keys that have not ended';

const changeGates = ['slot', 'same origin', 'session', 'records slot'] as const;

export const keys = accountEndpoint({
  method: 'get',
  path: 'keys',
  gates: ['slot', 'session', 'records slot'],
  answer: keyList,
  handler: async ({ account, ctx }) => {
    const { id, plan } = sessionOf(ctx).account;
    const list = await account.keys.list(id);
    return [{ plan: plan.name, keys: list }, `${counted(list.length, 'key')}.`];
  },
});

const newKey = z.strictObject({
  name: visibleName,
  environment: z.enum(['live', 'test'], { error: 'must be live or test' }),
  expires_at: z.iso
    .datetime({ offset: true, error: 'must be a date and time in ISO 8601, such as 2030-01-31T12:00:00Z, or null' })
    .nullable()
    .optional()
    .describe('Within ten years; null: never'),
});

/** The largest number of keys that an account may create in an hour, and of keys that it may rotate. */
const newKeysAnHour = 60;
const rememberedAccounts = 10_000;

/** Limits new keys, because all keys are kept for audits, even revoked ones. */
function limitNewKeys({ clock }: Deps): (ctx: Context) => void {
  const limits = { max: newKeysAnHour, perMs: hourMs, keysMax: rememberedAccounts };
  const limiter = createRateLimiter(limits, clock.elapsed);
  return (ctx) => {
    const taken = limiter.take(String(sessionOf(ctx).account.id));
    if (!taken.ok) throw new TooManyRequests(`An account may make ${newKeysAnHour} keys an hour.`, taken.waitMs);
  };
}

export const createdKey = accountEndpoint({
  method: 'post',
  path: 'keys',
  gates: changeGates,
  body: newKey,
  status: 201,
  answer: newKeyData,
  own: limitNewKeys,
  handler: async ({ account, config, ctx, deps, own: limit, body: { name, environment, expires_at = null } }) => {
    const expiresAt = expires_at === null ? null : new Date(expires_at);
    const problem = expiresAt && keyExpiryProblem(expiresAt, deps.clock.now());
    if (problem !== null) throw new InvalidParameters([{ path: 'expires_at', message: problem }]);
    limit(ctx);
    const { id } = sessionOf(ctx).account;
    const made = await account.keys.create(id, { name, environment, expiresAt }, actorOf(ctx));
    if (made === 'too_many') throw new TooMany(tooManyKeys, config.max.keys);
    return [{ key: made.key, ...made.created }, `Created ${name}. Keep the key now: it is not shown again.`];
  },
});

const overlapHoursMax = 720;
const overlapMisfit = { error: `must be a whole number from 0 to ${overlapHoursMax}` };
const rotation = z.strictObject({
  overlap_hours: z
    .int(overlapMisfit)
    .min(0, overlapMisfit)
    .max(overlapHoursMax, overlapMisfit)
    .default(24)
    .describe('Hours for which the old key continues to work'),
});

/** Creates a key of the same name, environment and lifetime. The old one ends after the overlap or at its own earlier expiry. */
export const keyRotation = accountEndpoint({
  method: 'post',
  path: 'keys/{id}/rotation',
  gates: changeGates,
  id: 'key',
  body: rotation,
  status: 201,
  answer: rotatedKey,
  own: limitNewKeys,
  handler: async ({ account, config, ctx, own: limit, id: keyId, body }) => {
    limit(ctx);
    const { id } = sessionOf(ctx).account;
    const rotated = await account.keys.rotate(id, keyId, body.overlap_hours * hourMs, actorOf(ctx));
    if (rotated === 'too_many') throw new TooMany(tooManyKeys, config.max.keys);
    if (rotated === 'unknown') throw new NotInAccount('key');
    if (rotated === 'ended') throw new NotInAccount('key that has not ended');
    const { key, created, replaced } = rotated;
    const message = `Replaced ${created.name}. Keep the key now: it is not shown again.`;
    return [{ key, ...created, replaces: replaced }, message];
  },
});

export const renamedKey = accountEndpoint({
  method: 'post',
  path: 'keys/{id}/name',
  gates: changeGates,
  id: 'key',
  body: z.strictObject({ name: visibleName }),
  answer: accountKey,
  handler: async ({ account, ctx, id: keyId, body: { name } }) => {
    const renamed = await account.keys.rename(sessionOf(ctx).account.id, keyId, name, actorOf(ctx));
    if (renamed === null) throw new NotInAccount('key');
    return [renamed, `Renamed to ${name}.`];
  },
});

export const revokedKey = accountEndpoint({
  method: 'delete',
  path: 'keys/{id}',
  gates: changeGates,
  id: 'key',
  answer: accountKey,
  handler: async ({ account, ctx, id: keyId }) => {
    const { id } = sessionOf(ctx).account;
    const revoked = await account.keys.revoke(id, keyId, actorOf(ctx));
    if (revoked === null) throw new NotInAccount('key');
    return [revoked, `Revoked ${revoked.name}.`];
  },
});
