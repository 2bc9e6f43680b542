import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** Faults that a response can contain. */
export interface Twist {
  readonly origin?: string;
  readonly domain?: string;
  readonly type?: string;
  readonly crossOrigin?: boolean;
  /** True if the device verified its user. */
  readonly verified?: boolean;
  readonly challenge?: string;
  readonly userHandle?: string;
  /** The counter of uses, in place of the next value. */
  readonly count?: number;
  /** The attestation; by default none. */
  readonly attest?: (about: Attested) => Attestation;
}

/** The content of a new passkey's attestation. */
export interface Attested {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly authData: Buffer;
  readonly clientDataHash: Buffer;
}

export interface Attestation {
  readonly format: string;
  /** A CBOR map. */
  readonly statement: Buffer;
}

/** A passkey on a simulated device, with ECDSA and P-256 as in every browser. */
export interface SoftwarePasskey {
  readonly id: string;
  /** Returns the result of navigator.credentials.create() for these options. */
  create(options: CreationOptions, twist?: Twist): object;
  /** Returns the result of navigator.credentials.get(). */
  get(options: RequestOptions, twist?: Twist): object;
}

export interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
}

export interface RequestOptions {
  readonly challenge: string;
  readonly rpId: string;
}

const userPresent = 0x01;
const userVerified = 0x04;
const attested = 0x40;

/** @param counts whether it counts its uses, as security keys do and synchronised passkeys do not */
export function newPasskey(origin: string, counts = true): SoftwarePasskey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credentialId = randomBytes(32);
  const id = credentialId.toString('base64url');
  let count = 0;
  let handle = '';

  const clientData = (type: string, challenge: string, twist: Twist): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: twist.type ?? type,
        challenge: twist.challenge ?? challenge,
        origin: twist.origin ?? origin,
        crossOrigin: twist.crossOrigin ?? false,
      }),
    );
  const header = (domain: string, flags: number, twist: Twist): Buffer => {
    const held = twist.verified === false ? userPresent : userPresent | userVerified;
    if (counts) count += 1;
    const counted = Buffer.alloc(4);
    counted.writeUInt32BE(twist.count ?? count);
    return Buffer.concat([sha256(Buffer.from(twist.domain ?? domain)), Buffer.from([held | flags]), counted]);
  };
  const named = { id, rawId: id, type: 'public-key', clientExtensionResults: {} };
  return {
    id,
    create({ challenge, rp, user }, twist = {}) {
      handle = user.id;
      const length = Buffer.from([0, credentialId.length]);
      const about = Buffer.concat([Buffer.alloc(16), length, credentialId, coseKey(publicKey)]);
      const authData = Buffer.concat([header(rp.id, attested, twist), about]);
      const data = clientData('webauthn.create', challenge, twist);
      const { format, statement } = twist.attest?.({
        privateKey,
        publicKey,
        authData,
        clientDataHash: sha256(data),
      }) ?? { format: 'none', statement: map([]) };
      const attestation = map([
        [text('fmt'), text(format)],
        [text('attStmt'), statement],
        [text('authData'), bytes(authData)],
      ]);
      return {
        ...named,
        response: {
          clientDataJSON: data.toString('base64url'),
          attestationObject: attestation.toString('base64url'),
          transports: ['internal'],
        },
      };
    },
    get({ challenge, rpId }, twist = {}) {
      const data = clientData('webauthn.get', challenge, twist);
      const authData = header(rpId, 0, twist);
      const signature = sign('sha256', Buffer.concat([authData, sha256(data)]), privateKey);
      return {
        ...named,
        response: {
          clientDataJSON: data.toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          signature: signature.toString('base64url'),
          ...(handle === '' ? {} : { userHandle: twist.userHandle ?? handle }),
        },
      };
    },
  };
}

function sha256(data: Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}

/** The public key in the form of COSE: an elliptic curve (1: 2), ES256 (3: -7), P-256 (-1: 1) and its point. */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return map([
    [Buffer.from([0x01]), Buffer.from([0x02])],
    [Buffer.from([0x03]), Buffer.from([0x26])],
    [Buffer.from([0x20]), Buffer.from([0x01])],
    [Buffer.from([0x21]), bytes(Buffer.from(x, 'base64url'))],
    [Buffer.from([0x22]), bytes(Buffer.from(y, 'base64url'))],
  ]);
}

// The part of CBOR (RFC 8949) that an attestation needs.

export function map(entries: readonly (readonly [Buffer, Buffer])[]): Buffer {
  return Buffer.concat([Buffer.from([0xa0 | entries.length]), ...entries.flat()]);
}

export function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 | value.length]), Buffer.from(value)]);
}

export function bytes(value: Buffer): Buffer {
  const head = value.length < 256 ? [0x58, value.length] : [0x59, value.length >> 8, value.length & 0xff];
  return Buffer.concat([Buffer.from(head), value]);
}
