/**
 * The environment of a gateway process. It inherits only the search path and the compile cache of the tests.
 */
export const processEnvironment = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
} as const;
