export const isDeep = process.env['TEST_DEPTH'] === 'deep';
