/** The pages of the run `reference`. The first one starts the gateway that all of them use. */
export const referencePages: readonly string[] = [
  'admin-api',
  'batches',
  'documents',
  'teams',
  'moving',
  'dashboard',
  'compatibility',
  'upgrading',
];
