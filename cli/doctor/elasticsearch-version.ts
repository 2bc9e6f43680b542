import { fail, ok, type Verdict, warn } from './finding.ts';

/** The versions whose main paths are tested: the last of 8, and all of 9. */
export const supportedElasticsearch = '8.19 or 9';

/** @param versions of each node, such as `9.5.3` */
export function judgeElasticsearchVersions(versions: readonly string[]): Verdict {
  const distinct = [...new Set(versions)].sort();
  const text = `Elasticsearch ${distinct.join(', ')} on ${versions.length} node(s).`;
  const unsupported = distinct.filter((version) => !isSupported(version));
  if (versions.length === 0 || unsupported.length > 0)
    return fail(text, `Use Elasticsearch ${supportedElasticsearch}.`);
  if (distinct.length > 1) return warn(text, 'Finish the upgrade: all nodes should run the same version.');
  return ok(text);
}

function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major === 9 || (major === 8 && minor >= 19);
}
