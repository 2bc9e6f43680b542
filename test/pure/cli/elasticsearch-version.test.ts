import { judgeElasticsearchVersions } from '../../../cli/doctor/checks/elasticsearch.ts';

// Doctor's findings about Elasticsearch by the versions of its nodes.

const judged = (...versions: readonly string[]) => {
  const { level, found, todo } = judgeElasticsearchVersions(versions);
  return [level, found, todo];
};

test.each(['8.19.0', '8.19.21', '9.0.0', '9.5.3', '9.12.0-SNAPSHOT'])('%s is supported', (version) => {
  expect(judged(version)).toEqual(['ok', `Elasticsearch ${version} on 1 node(s).`, null]);
});

test.each(['7.17.29', '8.0.0', '8.18.8', '10.0.0'])('%s is not, and the versions to use are named', (version) => {
  expect(judged(version)).toEqual(['fail', `Elasticsearch ${version} on 1 node(s).`, 'Use Elasticsearch 8.19 or 9.']);
});

test('nodes of two versions are in the middle of an upgrade', () => {
  const text = 'Elasticsearch 8.19.21, 9.5.3 on 3 node(s).';
  expect(judged('9.5.3', '8.19.21', '9.5.3').slice(0, 2)).toEqual(['warn', text]);
  expect(judged('8.18.0', '9.5.3')[0]).toBe('fail');
});

test('a cluster that names no version is none', () => {
  expect(judged()[0]).toBe('fail');
});
