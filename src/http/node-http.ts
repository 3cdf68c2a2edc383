/**
 * The parts of node:http that we use. An `import` of that module reads every name it has, one of which loads all of
 * Node's `fetch`: 13 MB that nobody here asks for.
 */
export const { createServer, STATUS_CODES, ServerResponse, validateHeaderName, validateHeaderValue } =
  process.getBuiltinModule('node:http');
