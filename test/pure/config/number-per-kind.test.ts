import { expect, test } from '@jest/globals';
import { indexerSettings } from '../../../src/config/indexer.ts';
import { SettingsError } from '../../../src/config/settings.ts';

const shards = (text: string | undefined) => indexerSettings({ ELASTICSEARCH_SHARDS: text }).ELASTICSEARCH_SHARDS;

test.each([
  [undefined, { companies: 1, people: 1, investors: 1, events: 1 }],
  ['', { companies: 1, people: 1, investors: 1, events: 1 }],
  ['3', { companies: 3, people: 3, investors: 3, events: 3 }],
  ['companies=5', { companies: 5, people: 1, investors: 1, events: 1 }],
  [' people = 2 , companies=1024', { companies: 1024, people: 2, investors: 1, events: 1 }],
])('%j is read as %j', (text, wanted) => {
  expect(shards(text)).toEqual(wanted);
});

test.each([
  '0',
  '1025',
  '-1',
  '1.5',
  'many',
  'companies',
  'companies=0',
  'people=1025',
  'places=2',
  'people=1,people=1',
  'people=2,',
  ',',
  '3,people=2',
  'people=99999999999999999999',
])('refused, by the name of the setting: %s', (text) => {
  expect(() => shards(text)).toThrow(SettingsError);
  expect(() => shards(text)).toThrow(
    'ELASTICSEARCH_SHARDS: must be a whole number from 1 to 1024, or such numbers by kind: companies=2,people=2',
  );
});
