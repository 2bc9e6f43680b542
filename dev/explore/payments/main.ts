import { main } from '../engine/cli.ts';
import { scenarios } from './scenarios.ts';

/** `npm run explore:payments`: every interleaving of the payment code with its surroundings, up to a bound. */
const standard = ['--seconds', '600'];

process.exitCode = await main(scenarios, new URL('./scenarios.ts', import.meta.url).href, [
  ...standard,
  ...process.argv.slice(2),
]);
