import { explore } from '../../../dev/explore/engine/explore.ts';
import { reportText } from '../../../dev/explore/engine/report.ts';
import { careless } from './toys.ts';

// Prints what the explorer finds in code that lets a rejection go unhandled.

process.stdout.write(reportText(await explore([careless], { seconds: 20, budget: 1 })));
