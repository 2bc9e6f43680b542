import { generateKeyPairSync, sign } from 'node:crypto';
import { type Attestation, type Attested, bytes, map, text } from './authenticator.ts';

// Attestations whose certificates name an address of revoked certificates. The encoding is DER (X.690).

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts);
const integer = (value: number): Buffer => der(0x02, Buffer.from([value]));
const octets = (...parts: readonly Buffer[]): Buffer => der(0x04, ...parts);
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));

const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
const commonName = (name: string): Buffer => sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))));
const time = (text: string): Buffer => der(0x17, Buffer.from(text));
const extension = (id: string, value: Buffer): Buffer => sequence(oid(id), octets(value));

const crlAt = (url: string): Buffer =>
  extension('551d1f', sequence(sequence(der(0xa0, der(0xa0, der(0x86, Buffer.from(url)))))));

const keyDescription = (challenge: Buffer): Buffer => {
  const enumerated = der(0x0a, Buffer.from([1]));
  const parts = [integer(3), enumerated, integer(4), enumerated, octets(challenge), octets(), sequence(), sequence()];
  return extension('2b06010401d679020111', sequence(...parts));
};

/** Returns an Android attestation (`android-key`) with a new certificate chain, which names an address. */
export function androidKey(crlUrl: string): (about: Attested) => Attestation {
  return ({ privateKey, publicKey, authData, clientDataHash }) => {
    const root = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const certificate = (serial: number, name: string, key: typeof publicKey, ...extensions: readonly Buffer[]) => {
      const content = sequence(
        der(0xa0, integer(2)),
        integer(serial),
        ecdsaWithSha256,
        commonName('root'),
        sequence(time('200101000000Z'), time('490101000000Z')),
        commonName(name),
        key.export({ type: 'spki', format: 'der' }),
        der(0xa3, sequence(...extensions)),
      );
      const signature = sign('sha256', content, root.privateKey);
      return sequence(content, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature));
    };
    const leaf = certificate(1, 'leaf', publicKey, keyDescription(clientDataHash), crlAt(crlUrl));
    const chain = [leaf, certificate(2, 'root', root.publicKey, crlAt(crlUrl))];
    return {
      format: 'android-key',
      statement: map([
        [text('alg'), Buffer.from([0x26])],
        [text('sig'), bytes(sign('sha256', Buffer.concat([authData, clientDataHash]), privateKey))],
        [text('x5c'), Buffer.concat([Buffer.from([0x80 | chain.length]), ...chain.map(bytes)])],
      ]),
    };
  };
}

/** Returns a device's own signature (`packed` without certificates). */
export function selfSigned({ privateKey, authData, clientDataHash }: Attested): Attestation {
  const signature = sign('sha256', Buffer.concat([authData, clientDataHash]), privateKey);
  return {
    format: 'packed',
    statement: map([
      [text('alg'), Buffer.from([0x26])],
      [text('sig'), bytes(signature)],
    ]),
  };
}
