/**
 * The parts of node:http that the gateway uses. An `import` of that module reads all its names, one of which loads
 * Node's `fetch`: 13 MB that the gateway does not need.
 */
export const { createServer, STATUS_CODES, ServerResponse, validateHeaderName, validateHeaderValue } =
  process.getBuiltinModule('node:http');
