import type { ComponentType } from 'preact';
import { isAccountPath } from './lib/browser-paths.ts';
import type { LazyPageProps } from './lib/lazy-page.ts';

/** Pages that are loaded when they are first needed. The others are in the first script. */
interface LazyRoute {
  readonly has: (path: string) => boolean;
  readonly load: () => Promise<ComponentType<LazyPageProps>>;
}

export const lazyRoutes: readonly LazyRoute[] = [
  { has: isAccountPath, load: () => import('./account/main.tsx').then(({ AccountPages }) => AccountPages) },
];
