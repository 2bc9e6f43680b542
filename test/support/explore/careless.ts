import { explore } from '../../../dev/explore/engine/explore.ts';
import { reportText } from '../../../dev/explore/engine/report.ts';
import { scenarios } from './toys.ts';

// Prints what the explorer finds in code that lets a rejection go unhandled.

const careless = scenarios.filter(({ name }) => name === 'careless');
process.stdout.write(reportText(await explore(careless, { seconds: 20, budget: 1 })));
