import { hydrate } from 'preact';
import { App } from './app.tsx';
import { interceptLinks } from './lib/navigation.ts';
import { readPageState } from './lib/page-state.ts';

const root = document.querySelector('#app');
const state = readPageState();
if (root !== null && state !== null) {
  interceptLinks(state.path);
  hydrate(<App state={state} />, root);
}
