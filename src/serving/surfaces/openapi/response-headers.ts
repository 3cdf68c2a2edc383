/** Request ids are opaque; this is only an example. */
export const exampleRequestId = 'req-7Q2mVx';

export const responseHeaders = {
  'x-gateway-version': {
    description:
      'Stamp of the running gateway as `YYYYMMDD-HHMMSS`. When it changes, the catalog may have changed too: request the models again.',
    required: true,
    schema: { type: 'string', pattern: '^[0-9]{8}-[0-9]{6}$' },
    example: '20261115-024407',
  },
  'x-gateway-request-id': {
    description: 'Identifies this request and is part of every error message. Quote it when you contact support.',
    required: true,
    schema: { type: 'string', minLength: 1 },
    example: exampleRequestId,
  },
} as const;

export const headerReferences = Object.fromEntries(
  Object.keys(responseHeaders).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);
