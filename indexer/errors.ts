import { SettingsError } from '../src/config/settings.ts';

/** A failure with a complete message: the problem and the next step. */
export class IndexerError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** A condition is not met: the work was not begun, or was stopped to be resumed. */
export class RefusedError extends IndexerError {}

const unknownAuthority =
  'If that is Postgres, give the authority that signed its certificate: add &sslrootcert=/path/ca.pem to DATABASE_URL.';

// Explanations by the code of Node's sockets, of OpenSSL or of Postgres (SQLSTATE).
const explanations: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing answers at the address. Start the server, or correct DATABASE_URL / ELASTICSEARCH_URL.',
  ENOTFOUND: 'The host name of the address is unknown. Correct DATABASE_URL / ELASTICSEARCH_URL.',
  EAI_AGAIN: 'The host name could not be looked up right now. Check the network, then try again.',
  ETIMEDOUT: 'The server did not answer in time. Check that it is up and reachable, then try again.',
  ECONNRESET: 'The connection was cut. Check the server, then run the command again: repeating it is safe.',
  EPIPE: 'The connection was cut. Check the server, then run the command again: repeating it is safe.',
  '08006': 'The connection was cut. Check the server, then run the command again: repeating it is safe.',
  '08P01':
    'The server at DATABASE_URL accepts no settings with a connection; it is probably a pooler. Set DATABASE_URL to the address of Postgres itself.',
  '28P01': 'Postgres refused the password. Correct DATABASE_URL.',
  '28000': 'Postgres refused the user. Correct DATABASE_URL.',
  '3D000': 'The database does not exist. Create it (createdb), or correct DATABASE_URL.',
  '42501':
    'The role in DATABASE_URL lacks a right. Use the role that this command is for (docs/install.md, Database roles); after a new version, run: entity-search migrate',
  '42P01': 'The tables are missing or older than this version. Run: entity-search migrate',
  '42703': 'The tables are older than this version. Run: entity-search migrate',
  '42883': 'The tables are older than this version. Run: entity-search migrate',
  '40P01': 'Two writers blocked each other, and this one gave way. Run the command again: repeating it is safe.',
  '55P03': 'Another session holds a lock that this needs. Wait for it to end, then run the command again.',
  '53300': 'Postgres has no connection left. Close others or raise max_connections, then try again.',
  '53100': 'The disk of Postgres is full. Make room, then run the command again: repeating it is safe.',
  '57014':
    'Postgres cancelled a statement at its time limit. Check pg_stat_activity for locks and long transactions, then try again.',
  '57P01':
    'This connection was ended (pg_terminate_backend), or the server stopped. Run the command again: repeating it is safe.',
  '57P02': 'Postgres crashed under the command. Run the command again when the server is up: repeating it is safe.',
  '57P03': 'Postgres is starting or stopping. Try again in a moment.',
  Z_DATA_ERROR: 'A gzip file is damaged. Create it again; the part before the damage is imported.',
  Z_BUF_ERROR: 'A gzip file is cut short. Create it again; the part before its end is imported.',
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  ERR_TLS_CERT_ALTNAME_INVALID: 'If that is Postgres, use the host name that its certificate is for in DATABASE_URL.',
  CERT_HAS_EXPIRED: 'If that is Postgres, give it a certificate that is valid.',
  ENOENT: 'The file or folder does not exist.',
  EACCES: 'This user has no right to read the file or folder.',
};

/** This code also covers any user that is refused. */
const [noEncryption, askForEncryption] = [
  /no encryption$/,
  'Postgres takes encrypted connections only: add ?sslmode=verify-full to DATABASE_URL.',
] as const;

// By messages: the Elasticsearch client and the Postgres driver keep no code of Node and OpenSSL. $1 is the pattern's group.
const remedies: readonly (readonly [RegExp, string])[] = [
  [
    /server does not support SSL/,
    'Postgres is not set up for encryption: set ssl = on there, or leave sslmode out of DATABASE_URL.',
  ],
  [/does not use TLS/, 'Write http:// in ELASTICSEARCH_URL, or give the port for https.'],
  [
    /Parse Error|Expected HTTP/,
    'The server does not speak HTTP: write https:// in ELASTICSEARCH_URL, or correct the port.',
  ],
  [
    /self[- ]signed certificate|unable to (verify|get)/i,
    'Give the authority that signed the certificate, as a PEM file, in ELASTICSEARCH_CA_FILE.',
  ],
  [/does not match certificate|altnames/i, 'Use the host name that the certificate of Elasticsearch is for.'],
  [/certificate has expired/i, 'Give Elasticsearch a certificate that is valid.'],
  [/ECONNREFUSED/, 'Nothing answers at the address. Start Elasticsearch, or correct ELASTICSEARCH_URL.'],
  [/no such index \S*(companies|people|investors|events)/, 'Build the index. Run: entity-search reindex $1'],
  [/ENOTFOUND/, 'The host name of the address is unknown. Correct ELASTICSEARCH_URL.'],
];

function remedyOf(message: string, code: string): string | undefined {
  if (noEncryption.test(message)) return askForEncryption;
  if (explanations[code] !== undefined) return explanations[code];
  for (const [pattern, remedy] of remedies) {
    const match = pattern.exec(message);
    if (match !== null) return remedy.replace('$1', match[1] ?? '');
  }
  return undefined;
}

/** Returns one error as text for a person, with the next step if it is known. */
export function explainError(error: unknown): string {
  if (error instanceof IndexerError || error instanceof SettingsError) return error.message;
  const message = messageOf(error);
  const next = remedyOf(message, codeOf(error) ?? '');
  return next === undefined ? message : `${message}\n${next}`;
}

/**
 * Returns the code of an error of Node or Postgres, also of a wrapped one (`cause`) or of one among several addresses
 * tried.
 */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  if ('errors' in error && Array.isArray(error.errors) && error.errors.length > 0) return codeOf(error.errors[0]);
  if ('message' in error && error.message === 'timeout exceeded when trying to connect') return 'ETIMEDOUT';
  return 'cause' in error ? codeOf(error.cause) : undefined;
}

function messageOf(error: unknown): string {
  // A host with several addresses fails with an AggregateError, whose own message is empty.
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
