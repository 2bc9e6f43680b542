import { findSimilarTool } from './find-similar.ts';
import { getEntity } from './get-entity.ts';
import { lookupEntities } from './lookup-entities.ts';
import { searchEntities } from './search-entities.ts';
import { suggestNamesTool } from './suggest-names.ts';
import type { Tool } from './tool.ts';

/** All tools in the order of the list. */
export const tools: readonly Tool[] = [searchEntities, getEntity, findSimilarTool, lookupEntities, suggestNamesTool];
