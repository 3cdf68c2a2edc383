import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A software passkey. It answers challenges in JSON, as `navigator.credentials` does. */
export function authenticator(origin: string, { verifiesUser = true } = {}) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(16);
  let counter = 0;
  const present = verifiesUser ? 0x05 : 0x01;

  function head(flags: number): Buffer {
    counter += 1;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const party = createHash('sha256').update(new URL(origin).hostname).digest();
    return Buffer.concat([party, Buffer.from([flags]), count]);
  }

  const clientData = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const text = (bytes: Buffer) => bytes.toString('base64url');
  const credential = { id: text(id), rawId: text(id), type: 'public-key', clientExtensionResults: {} };

  return {
    /** The statement is the format and the map of a CBOR attestation. */
    create({ challenge }: { challenge: string }, statement = plainStatement) {
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
      const key = Buffer.concat([
        Buffer.from('a5010203262001215820', 'hex'),
        Buffer.from(x, 'base64url'),
        Buffer.from('225820', 'hex'),
        Buffer.from(y, 'base64url'),
      ]);
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key]);
      const data = Buffer.concat([head(present | 0x40), attested]);
      const attestation = Buffer.concat([
        Buffer.from([0xa3, 0x63]),
        Buffer.from('fmt'),
        cborText(statement.format),
        cborText('attStmt'),
        statement.map,
        cborText('authData'),
        Buffer.from([0x58, data.length]),
        data,
      ]);
      const response = {
        clientDataJSON: text(clientData('webauthn.create', challenge)),
        attestationObject: text(attestation),
        transports: ['internal'],
      };
      return { ...credential, response };
    },
    get({ challenge }: { challenge: string }) {
      const client = clientData('webauthn.get', challenge);
      const data = head(present);
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
      const response = {
        clientDataJSON: text(client),
        authenticatorData: text(data),
        signature: text(sign('sha256', signed, privateKey)),
        userHandle: null,
      };
      return { ...credential, authenticatorAttachment: 'platform', response };
    },
  };
}

const plainStatement = { format: 'none', map: Buffer.from([0xa0]) };

/** A statement of the format `android-safetynet`, with the parts of a JWT. */
export function safetyNetStatement(parts: readonly string[]): typeof plainStatement {
  const jwt = Buffer.from(parts.map((part) => Buffer.from(part).toString('base64url')).join('.'));
  const response = [cborText('response'), Buffer.from([0x58, jwt.length]), jwt];
  return {
    format: 'android-safetynet',
    map: Buffer.concat([Buffer.from([0xa2]), cborText('ver'), cborText('1'), ...response]),
  };
}

function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
}
