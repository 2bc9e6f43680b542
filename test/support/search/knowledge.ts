import { createKnowledge } from '../../../src/search/questions/knowledge.ts';

/** A Sunday in late autumn. */
export const now = new Date('2026-11-22T12:00:00Z');

/** Knowledge of a typical database. */
export const knowledge = createKnowledge({
  countries: new Set(['Germany', 'Portugal', 'Switzerland', 'United Kingdom', 'Türkiye', 'Brazil', 'Japan', 'Denmark']),
  cities: new Set(['Berlin', 'Lisbon', 'Zürich', 'New York City', 'New York', 'São Paulo', 'Mexico City', 'Mobile']),
  topics: new Set([
    'defi',
    'zk-rollup',
    'dex',
    'wallet',
    'privacy',
    'ethereum',
    'mobile',
    'new york',
    'staking',
    'solidity',
    'smart-contract',
    'security',
    'listed company',
    'oil and gas',
  ]),
  ecosystems: new Set(['ethereum', 'solana', 'arbitrum', 'base']),
});
