import { sendStatic, staticFile } from '../response/static-file.ts';
import type { PageRoute } from './page-route.ts';

const open = `User-agent: *
Disallow: /account
Disallow: /api/
Disallow: /search
`;
const closed = `User-agent: *
Disallow: /
`;

/** GET /robots.txt */
export const robots: PageRoute = {
  method: 'get',
  path: '/robots.txt',
  gates: ['slot'],
  handler: ({ config }) => sendStatic(staticFile('text/plain', () => (config.console?.indexable ? open : closed))),
};
