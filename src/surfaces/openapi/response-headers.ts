/** Request ids are opaque; this one only shows where they stand. */
export const exampleRequestId = 'req-7Q2mVx';

/** The headers of every response, whatever its status. */
export const responseHeaders = {
  'x-gateway-version': {
    description:
      'Stamp of the running gateway as `YYYYMMDD-HHMMSS`. When it changes, the catalog may have changed too: ask for the models again.',
    required: true,
    schema: { type: 'string', pattern: '^[0-9]{8}-[0-9]{6}$' },
    example: '20261115-024407',
  },
  'x-gateway-request-id': {
    description: 'Names this one request, and stands in every error message. Quote it when you ask for support.',
    required: true,
    schema: { type: 'string', minLength: 1 },
    example: exampleRequestId,
  },
} as const;

/** The same headers as a response of the document points to them. */
export const headerReferences = Object.fromEntries(
  Object.keys(responseHeaders).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);
