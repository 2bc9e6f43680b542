import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { roleDescriptor } from '../../../dev/docs/elasticsearch.ts';
import { fullVersion as elasticsearchVersion } from '../../../dev/engines/elasticsearch/versions.ts';
import { readConfig } from '../../../src/config/api.ts';
import { clusterRoles } from '../../../src/elasticsearch/requests.ts';
import { aliasName, generationName, markerIndexName } from '../../../src/kinds/index-names.ts';
import { kindNames } from '../../../src/kinds/kind.ts';
import { roleName } from '../../../src/schema/rights.ts';
import { namesRead, settingsReaders } from '../../support/settings-read.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

// The parts of the compose file that the rules below check; other parts are allowed.
const service = z.looseObject({
  image: z.string(),
  user: z.string().optional(),
  read_only: z.boolean().optional(),
  cap_drop: z.array(z.string()),
  cap_add: z.undefined().optional(),
  privileged: z.undefined().optional(),
  security_opt: z.array(z.string()),
  environment: z.record(z.string(), z.string()).default({}),
  ports: z.array(z.string()).default([]),
  healthcheck: z
    .looseObject({
      test: z.array(z.string()).optional(),
      disable: z.boolean().optional(),
      interval: z.string().optional(),
      timeout: z.string().optional(),
      retries: z.number().optional(),
      start_period: z.string().optional(),
    })
    .optional(),
  tmpfs: z.array(z.string()).default([]),
  stop_grace_period: z.string().optional(),
  restart: z.string(),
  networks: z.array(z.string()).optional(),
  volumes: z.array(z.string()).default([]),
  depends_on: z.record(z.string(), z.strictObject({ condition: z.string() })).default({}),
  mem_limit: z.string(),
  cpus: z.number(),
  pids_limit: z.number(),
  logging: z.looseObject({ driver: z.string(), options: z.record(z.string(), z.string()).optional() }),
});
const composeFile = z.strictObject({
  name: z.string(),
  services: z.record(z.string(), service),
  networks: z.record(z.string(), z.looseObject({}).nullable()),
  volumes: z.record(z.string(), z.null()),
});

const text = read('docker-compose.yml');
const raw: Record<string, unknown> = parse(text, { merge: true });
const compose = composeFile.parse(Object.fromEntries(Object.entries(raw).filter(([key]) => !key.startsWith('x-'))));
const services = Object.entries(compose.services);
const ours = services.filter(([, { image }]) => image.startsWith('entity-search:'));

/** Names in `${NAME:?…}` and `${NAME:-…}` of a text. */
function variablesIn(from: string): readonly { readonly name: string; readonly operator: string }[] {
  return [...from.matchAll(/\$\{([A-Z0-9_]+)([^}]*)\}/g)].map(([, name = '', rest = '']) => ({
    name,
    operator: rest.slice(0, 2),
  }));
}

test('every secret is a required variable without a default', () => {
  for (const [name, { environment }] of services) {
    for (const [variable, value] of Object.entries(environment)) {
      const secrets = [
        ...(/PASSWORD|SECRET|TOKEN|API_KEY/.test(variable) ? [value] : []),
        ...[...value.matchAll(/:\/\/[^:@/]+:([^@]*)@/g)].map(([, password = '']) => password),
      ];
      for (const secret of secrets) {
        expect(`${name} ${variable} ${secret}`).toMatch(/ \$\{[A-Z0-9_]+:\?see \.env\.example\}$/);
      }
    }
  }
});

test('.env.example names exactly the variables of the compose file, without values', () => {
  const lines = read('.env.example')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  expect(lines.filter((line) => !line.endsWith('='))).toEqual([]);
  const named = lines.map((line) => line.slice(0, -1));
  expect([...named].sort()).toEqual([...new Set(variablesIn(text).map(({ name }) => name))].sort());
  expect(variablesIn(text).filter(({ operator }) => operator !== ':?' && operator !== ':-')).toEqual([]);
});

test('our processes get only variables that their configuration reads', async () => {
  const known = new Set((await settingsReaders()).flatMap((reader) => namesRead(reader.read)));
  expect(known).toContain('DATABASE_URL');
  const given = ours.flatMap(([, { environment }]) => Object.keys(environment));
  expect(given.filter((name) => !known.has(name))).toEqual([]);
});

test('images are pinned to the versions of the tests and of the package', () => {
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(read('package.json')));
  const images = [...new Set(services.map(([, { image }]) => image))].sort();
  expect(images).toEqual([
    `docker.elastic.co/elasticsearch/elasticsearch:${elasticsearchVersion()}`,
    `entity-search:${version}`,
    expect.stringMatching(/^postgres:18\.\d+-[a-z]+$/),
  ]);
});

test('every service has a health check and restarts, or runs once', () => {
  const dockerfileHasCheck = /^HEALTHCHECK .*\\\n\s+CMD /m.test(read('Dockerfile'));
  for (const [name, { healthcheck, restart, image }] of services) {
    const own = healthcheck?.test !== undefined;
    const inherited = image.startsWith('entity-search:') && healthcheck === undefined && dockerfileHasCheck;
    expect({ name, restart, watched: own || inherited }).toEqual(
      restart === 'no' ? { name, restart, watched: false } : { name, restart: 'unless-stopped', watched: true },
    );
  }
  expect(services.filter(([, { restart }]) => restart !== 'no').map(([name]) => name)).toEqual([
    'postgres',
    'elasticsearch',
    'api',
    'sync',
  ]);
});

test('every container is confined: no capabilities, no new privileges, limits, a read-only file system', () => {
  for (const [name, { cap_drop: dropped, security_opt: options }] of services) {
    expect({ name, dropped, options }).toEqual({ name, dropped: ['ALL'], options: ['no-new-privileges:true'] });
  }
  // The node writes a keystore into its configuration, and the certificates' maker works as the image is made.
  const writable = services.filter(([, { read_only: readOnly }]) => readOnly !== true).map(([name]) => name);
  expect(writable).toEqual(['elasticsearch-certificates', 'elasticsearch']);
});

/** Seconds of `20s` or `1m`. */
function seconds(text: string): number {
  const [, digits = '', unit = ''] = /^(\d+)(s|m)$/.exec(text) ?? [];
  return Number(digits) * (unit === 'm' ? 60 : 1);
}

test('a stopped API has enough time to finish its requests', () => {
  const { drain } = readConfig({ DATABASE_URL: 'postgres://a@b/c', ELASTICSEARCH_URL: 'http://a:1' });
  const graceMs = seconds(compose.services.api?.stop_grace_period ?? '') * 1_000;
  expect(graceMs).toBeGreaterThan(drain.timeoutMs + 3_000);
});

test('only the API is published, on loopback; the other services have no route out', () => {
  const published = services.filter(([, { ports }]) => ports.length > 0);
  expect(published.map(([name]) => name)).toEqual(['api']);
  expect(published.flatMap(([, { ports }]) => ports)).toEqual([expect.stringMatching(/^127\.0\.0\.1:.*:3000$/)]);
  expect(compose.networks.backend).toEqual({ internal: true });
  const inFront = services.filter(([, { networks }]) => networks?.includes('frontend')).map(([name]) => name);
  expect(inFront).toEqual(['api']);
});

test("Elasticsearch's security is on, and every service connects over TLS as its own user", () => {
  expect(compose.services.elasticsearch?.environment).toMatchObject({
    'xpack.security.enabled': 'true',
    'xpack.security.http.ssl.enabled': 'true',
    'xpack.security.transport.ssl.enabled': 'true',
  });
  const addresses = ours.flatMap(([name, { environment }]) =>
    environment.ELASTICSEARCH_URL === undefined ? [] : [`${name} ${environment.ELASTICSEARCH_URL}`],
  );
  expect(addresses).toEqual([
    expect.stringMatching(/^api https:\/\/entity_search_reader:.*@elasticsearch:9200$/),
    expect.stringMatching(/^sync https:\/\/entity_search_writer:.*@elasticsearch:9200$/),
    expect.stringMatching(/^indexer https:\/\/entity_search_writer:.*@elasticsearch:9200$/),
  ]);
});

test('each process connects to Postgres as its own role; only migrations run as the owner', () => {
  const users = ours.map(([name, { environment }]) => [
    name,
    /^postgres:\/\/(\w+):/.exec(environment.DATABASE_URL ?? '')?.[1],
  ]);
  expect(Object.fromEntries(users)).toEqual({
    migrate: 'entity_search',
    api: roleName('api'),
    sync: roleName('indexer'),
    indexer: roleName('indexer'),
    import: roleName('writer'),
    admin: roleName('admin'),
  });
});

test("the two Elasticsearch roles have exactly the rights that their requests need, on every kind's alias and generations", () => {
  const covered = [...kindNames.map((kind) => aliasName('', kind)), ...kindNames.map((kind) => `${kind}-*`)];
  const generation = generationName('', 'people', 'abcdef01', 3);
  expect(generation).toMatch(/^people-/);
  for (const role of clusterRoles) {
    const names = role === 'writer' ? [...covered, markerIndexName(generation, 'people')] : covered;
    expect(JSON.parse(read(`ops/elasticsearch/role-${role}.json`))).toEqual(roleDescriptor(role, names));
  }
});

test("every mounted file and volume exists, and Postgres' is where images from version 18 on keep their data", () => {
  expect(compose.services.postgres?.volumes).toContain('postgres:/var/lib/postgresql');
  const mounts = services.flatMap(([, { volumes }]) => volumes.map((volume) => volume.split(':')[0] ?? ''));
  for (const mount of mounts.filter((name) => name.startsWith('./')))
    expect(readdirSync(join(root, mount))).not.toEqual([]);
  const named = [...new Set(mounts.filter((name) => !name.startsWith('./')))].sort();
  expect(named).toEqual(Object.keys(compose.volumes).sort());
});
