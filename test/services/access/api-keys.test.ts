import { randomBytes } from 'node:crypto';
import { hashApiKey } from '../../../src/access/api-key.ts';
import { createKeyDirectory } from '../../../src/postgres/access/keys.ts';
import { testPool } from '../../support/engines/pool.ts';
import { forFile } from '../../support/for-file.ts';
import { setStage } from '../../support/stages/api.ts';

const stage = await forFile(setStage());
const key = await stage.createKey();

/** Looks up through a pool with the API's settings. */
async function find(hash: Buffer, timeoutMs = 2_000) {
  const pool = testPool(stage.databaseUrl, 1);
  try {
    return await createKeyDirectory(pool, timeoutMs).find(hash);
  } finally {
    await pool.end();
  }
}

describe('Looking up a key in Postgres', () => {
  test('returns its account, plan and limits', async () => {
    expect(await find(hashApiKey(key))).toEqual({
      ok: true,
      key: {
        keyId: 1,
        accountId: 1,
        accountActive: true,
        plan: { name: 'scale', active: true, callsPerMinute: 1_200, callsPerMonth: 5_000_000 },
        expiresAtMs: null,
        revokedAtMs: null,
      },
    });
  });

  test('returns null for an unknown key', async () => {
    expect(await find(randomBytes(32))).toEqual({ ok: true, key: null });
  });

  test('returns its expiry and revocation to the millisecond, and an inactive account and plan', async () => {
    const hash = hashApiKey(key);
    await stage.pool.query(
      `update api_keys set expires_at = '2031-05-06 07:08:09.123456+00', revoked_at = '2001-02-03 04:05:06+02' where hash = $1`,
      [hash],
    );
    await stage.pool.query(`insert into plans (name, active) values ('unlimited', false)`);
    await stage.pool.query(`update accounts set active = false, plan = 'unlimited'`);
    expect(await find(hash)).toMatchObject({
      key: {
        accountActive: false,
        plan: { name: 'unlimited', active: false, callsPerMinute: null, callsPerMonth: null },
        expiresAtMs: Date.UTC(2031, 4, 6, 7, 8, 9, 123),
        revokedAtMs: Date.UTC(2001, 1, 3, 2, 5, 6),
      },
    });
  });

  test('fails without waiting while the table is locked', async () => {
    const blocker = await stage.pool.connect();
    try {
      await blocker.query('begin; lock table api_keys in access exclusive mode');
      expect(await find(hashApiKey(key), 200)).toMatchObject({ ok: false });
    } finally {
      await blocker.query('rollback');
      blocker.release();
    }
  });
});
