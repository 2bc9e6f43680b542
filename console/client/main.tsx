import { hydrate } from 'preact';
import { interceptLinks } from '../shared/navigation.ts';
import { App } from './app.tsx';
import { readPageState } from './lib/page-state.ts';

const root = document.querySelector('#app');
const state = readPageState();
if (root !== null && state !== null) {
  interceptLinks(state.path);
  hydrate(<App state={state} />, root);
}
