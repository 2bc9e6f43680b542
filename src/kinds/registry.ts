import { companies } from './companies.ts';
import { events } from './events.ts';
import { investors } from './investors.ts';
import type { Kind, KindName } from './kind.ts';
import { people } from './people.ts';

/** Every kind by name. For a new name in `kindNames`, the compiler requires an entry here and in the mappings. */
export const kinds: Readonly<Record<KindName, Kind>> = { companies, people, investors, events };
