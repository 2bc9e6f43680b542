import { chooseEngine } from '../../../dev/engines/choice.ts';
import { dockerAddresses } from '../../../dev/engines/docker.ts';
import { majorVersion, newest } from '../../../dev/engines/elasticsearch/jdk.ts';
import { findTools, MissingToolError } from '../../../dev/engines/preflight.ts';

const databaseUrl = 'postgres://u:p@db.example:5432/entities';

test.each([
  ['an address in the environment wins over Docker', databaseUrl, true, { source: 'environment', url: databaseUrl }],
  ['Docker wins over the local stack where it answers', undefined, true, { source: 'docker' }],
  ['without address and Docker the local stack is taken', undefined, false, { source: 'embedded' }],
])('%s', (_title, url, dockerAnswers, choice) => {
  expect(chooseEngine(url, dockerAnswers)).toEqual(choice);
});

test.each([
  ['unix:///run/my.sock', [{ socketPath: '/run/my.sock' }]],
  ['tcp://10.0.0.7', [{ host: '10.0.0.7', port: 2375 }]],
  ['tcp://10.0.0.7:2376', [{ host: '10.0.0.7', port: 2376 }]],
  // Can't be asked quickly.
  ['ssh://me@build', []],
])('DOCKER_HOST=%s is asked alone, at the address that it names', (DOCKER_HOST, addresses) => {
  expect(dockerAddresses({ DOCKER_HOST })).toEqual(addresses);
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
