import { chooseEngines, dockerMatters } from '../../../dev/engines/choice.ts';
import { dockerAddresses } from '../../../dev/engines/docker.ts';
import { majorVersion, newest } from '../../../dev/engines/elasticsearch/jdk.ts';
import { findTools, MissingToolError } from '../../../dev/engines/preflight.ts';

const databaseUrl = 'postgres://u:p@db.example:5432/entities';
const elasticsearchUrl = 'https://search.example:9200';
const nothing = { databaseUrl: undefined, elasticsearchUrl: undefined };

describe('the choice of engines', () => {
  test('an address in the environment wins over Docker', () => {
    expect(chooseEngines({ databaseUrl, elasticsearchUrl, dockerAnswers: true })).toEqual({
      postgres: { source: 'environment', url: databaseUrl },
      elasticsearch: { source: 'environment', url: elasticsearchUrl },
    });
  });

  test('Docker wins over the local stack where it answers', () => {
    expect(chooseEngines({ ...nothing, dockerAnswers: true })).toEqual({
      postgres: { source: 'docker' },
      elasticsearch: { source: 'docker' },
    });
  });

  test('without address and Docker the local stack is taken', () => {
    expect(chooseEngines({ ...nothing, dockerAnswers: false })).toEqual({
      postgres: { source: 'embedded' },
      elasticsearch: { source: 'embedded' },
    });
  });

  test('each engine is chosen by itself', () => {
    expect(chooseEngines({ ...nothing, elasticsearchUrl, dockerAnswers: false })).toEqual({
      postgres: { source: 'embedded' },
      elasticsearch: { source: 'environment', url: elasticsearchUrl },
    });
  });

  test('Docker is asked only where an address is missing', () => {
    expect(dockerMatters({ databaseUrl, elasticsearchUrl })).toBe(false);
    expect(dockerMatters({ ...nothing, databaseUrl })).toBe(true);
  });
});

describe('where Docker is asked for', () => {
  test('DOCKER_HOST alone, where it is set', () => {
    expect(dockerAddresses({ DOCKER_HOST: 'unix:///run/my.sock' })).toEqual([{ socketPath: '/run/my.sock' }]);
    expect(dockerAddresses({ DOCKER_HOST: 'tcp://10.0.0.7' })).toEqual([{ host: '10.0.0.7', port: 2375 }]);
    expect(dockerAddresses({ DOCKER_HOST: 'tcp://10.0.0.7:2376' })).toEqual([{ host: '10.0.0.7', port: 2376 }]);
  });

  test('nowhere, where DOCKER_HOST names a way that cannot be asked quickly', () => {
    expect(dockerAddresses({ DOCKER_HOST: 'ssh://me@build' })).toEqual([]);
  });
});

describe('the Java development kit', () => {
  test('the newest that is new enough is taken, the first of equals', () => {
    const jdks = [
      { home: '/a', major: 17 },
      { home: '/b', major: 25 },
      { home: '/c', major: 21 },
      { home: '/d', major: 25 },
    ];
    expect(newest(jdks)).toEqual({ home: '/b', major: 25 });
    expect(newest([{ home: '/a', major: 17 }])).toBeUndefined();
  });

  test('its version is read from its release file, old numbering too', () => {
    expect(majorVersion('IMPLEMENTOR="X"\nJAVA_VERSION="25.0.3"\n')).toBe(25);
    expect(majorVersion('JAVA_VERSION="1.8.0_412"')).toBe(8);
    expect(majorVersion('')).toBeUndefined();
  });

  test('a missing tool is named in one sentence with a way out', () => {
    const looking = (): unknown => findTools({ PATH: '/nowhere' }, { maven: true });
    expect(looking).toThrow(MissingToolError);
    expect(looking).toThrow(/Maven 3 \(the command mvn in PATH\).*ELASTICSEARCH_URL/);
  });
});
