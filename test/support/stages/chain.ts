import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningChain, startChain } from '../../../dev/chain/chain.ts';
import { startFacilitator } from '../../../dev/chain/facilitator/facilitator.ts';
import { type FacilitatorProxy, startFacilitatorProxy } from '../proxies/facilitator.ts';

/** A fresh chain, and a real facilitator behind a proxy that can make it fail. */
export interface ChainStage extends AsyncDisposable {
  readonly chain: string;
  readonly facilitator: FacilitatorProxy;
}

/** Time after which an unmined settlement is reported as pending. */
const confirmationTimeoutMs = 700;

export async function setChainStage(): Promise<ChainStage> {
  await using resources = new AsyncDisposableStack();
  const logs = resources.adopt(await mkdtemp(join(tmpdir(), 'paid-')), (dir) => rm(dir, { recursive: true }));
  const chain: RunningChain = resources.adopt(await startChain({ logFile: join(logs, 'chain.log') }), (running) =>
    running.stop(),
  );
  const real = resources.adopt(
    await startFacilitator({ chainUrl: chain.url, logFile: join(logs, 'facilitator.log'), confirmationTimeoutMs }),
    (running) => running.stop(),
  );
  const facilitator = resources.use(await startFacilitatorProxy(real.url));
  const owned = resources.move();
  return { chain: chain.url, facilitator, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
