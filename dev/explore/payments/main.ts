import { main } from '../engine/cli.ts';
import { scenarios } from './scenarios.ts';

/** `npm run explore:payments`: every interleaving of the payment code with its surroundings, up to a bound. */
const standard = ['--seconds', '600'];

process.exitCode = await main(scenarios, [...standard, ...process.argv.slice(2)]);
