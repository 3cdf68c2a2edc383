/**
 * What a process of the gateway is started with: nothing that the tests themselves run with, but where programs are, and
 * what is compiled already.
 */
export const processEnvironment = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
} as const;
