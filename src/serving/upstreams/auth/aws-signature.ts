import { createHash, createHmac } from 'node:crypto';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Belongs to credentials that are valid for a limited time. */
  readonly sessionToken?: string | undefined;
}

/** The service of a region: a signature is valid for nothing else. */
export interface AwsScope {
  readonly region: string;
  readonly service: string;
}

/** A POST request as it is sent: the target with its query, and the final bytes of the body. */
export interface UnsignedRequest {
  readonly host: string;
  readonly target: string;
  readonly body: string | Buffer;
}

/**
 * The headers of AWS Signature Version 4. They cover the host, the target, the time and the body. Other headers may be
 * added or changed afterwards.
 */
export function awsSignature(
  request: UnsignedRequest,
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
  { region, service }: AwsScope,
  nowMs: number,
): Readonly<Record<string, string>> {
  const time = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const signed = {
    host: request.host,
    'x-amz-date': time,
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  };
  const names = Object.keys(signed).join(';');
  const canonical = [
    'POST',
    ...canonicalTarget(request.target),
    ...Object.entries(signed).map(([name, value]) => `${name}:${value}`),
    '',
    names,
    sha256(request.body),
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  const signature = hmac(key, toSign).toString('hex');
  const { host: _, ...headers } = signed;
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/** The path and the query. AWS encodes a path a second time, except that of object storage. */
function canonicalTarget(target: string): readonly [string, string] {
  const [path = '', query = ''] = target.split('?', 2);
  const parameters = query.split('&').filter((parameter) => parameter !== '');
  const complete = parameters.map((parameter) => (parameter.includes('=') ? parameter : `${parameter}=`));
  return [path.split('/').map(encoded).join('/'), complete.toSorted().join('&')];
}

/** Encodes everything but the unreserved characters of RFC 3986. */
function encoded(segment: string): string {
  return encodeURIComponent(segment).replaceAll(
    /[!'()*]/g,
    (character) => `%${Buffer.from(character).toString('hex').toUpperCase()}`,
  );
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: string | Buffer, data: string): Buffer {
  return createHmac('sha256', key).update(data).digest();
}
