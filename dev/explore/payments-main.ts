import { main } from './engine/cli.ts';
import { scenarios } from './payments/scenarios.ts';

/** `npm run explore:payments`: every interleaving of the payment code with its surroundings, up to a bound. */
const standard = ['--seconds', '420'];

process.exitCode = await main(scenarios, new URL('./payments/scenarios.ts', import.meta.url).href, [
  ...standard,
  ...process.argv.slice(2),
]);
