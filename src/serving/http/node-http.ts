/** An `import` of node:http reads all its names, one of which loads 13 MB for `fetch`, which is not needed. */
export const { createServer, STATUS_CODES, ServerResponse, validateHeaderName, validateHeaderValue } =
  process.getBuiltinModule('node:http');
