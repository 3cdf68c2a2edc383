/** Replies about batches, for pages without a gateway. */
const running = {
  id: 'batch_20261115065104123abcdefghij',
  account_id: 'acc_1',
  key_id: 'key_1',
  key_name: 'production' as string | null,
  endpoint: '/v1/chat/completions',
  format: 'openai',
  state: 'in_progress',
  counts: { total: 10_000, running: 8, succeeded: 6412, failed: 12, cancelled: 0, expired: 0 },
  cost: '4.182',
  created_at: '2026-11-15T06:51:04.123Z',
  deadline_at: '2026-11-16T06:51:04.123Z',
  ended_at: null as string | null,
  input_file_id: 'file-20261115065054123abcdefghij',
  output_file_id: null as string | null,
  error_file_id: null as string | null,
};
const completed = {
  ...running,
  id: 'batch_done',
  state: 'completed',
  format: 'anthropic',
  endpoint: '/v1/messages',
  counts: { total: 250, running: 0, succeeded: 248, failed: 2, cancelled: 0, expired: 0 },
  ended_at: '2026-11-15T08:02:11.000Z',
  output_file_id: 'file-out',
  error_file_id: 'file-err',
};
const refused = {
  ...running,
  id: 'batch_refused',
  state: 'failed',
  key_name: null,
  counts: { total: 0, running: 0, succeeded: 0, failed: 0, cancelled: 0, expired: 0 },
  cost: '0.00',
  ended_at: '2026-11-15T06:51:05.000Z',
};
const cancelling = { ...running, state: 'cancelling' };

const none = { input_tokens: 812_400, output_tokens: 96_120, problems: [], output: null, errors: null };
const file = { id: 'file-out', bytes: 1_284_310, deleted_at: '2026-12-15T08:02:11.000Z' };
const problems = [
  { code: 'invalid_json_line', message: 'The line is not a JSON object.', param: null, line: 3 },
  { code: 'duplicate_custom_id', message: 'An earlier line has the same custom_id.', param: 'custom_id', line: 17 },
];
const details = {
  running: { ...running, ...none },
  completed: { ...completed, ...none, output: file, errors: { ...file, id: 'file-err', bytes: 812 } },
  refused: { ...refused, ...none, problems },
};

const named = { account_name: 'Acme' };
const rows = [running, completed, refused];

export const batchIds = { running: running.id, completed: completed.id, refused: refused.id };

export const batchReplies = {
  'GET /account/v1/batches': { data: rows, next: null },
  [`GET /account/v1/batches/${running.id}`]: { ...details.running, readable: true },
  [`GET /account/v1/batches/${completed.id}`]: { ...details.completed, readable: true },
  [`GET /account/v1/batches/${refused.id}`]: { ...details.refused, readable: true },
  [`POST /account/v1/batches/${running.id}/cancel`]: { ...cancelling, ...none, readable: true },
  [`POST /account/v1/batches/${completed.id}/output/read`]: { custom_id: 'one' },
  'GET /admin/v1/batches': { data: rows.map((row) => ({ ...row, ...named })), next: null },
  [`GET /admin/v1/batches/${running.id}`]: { ...details.running, ...named },
  [`GET /admin/v1/batches/${completed.id}`]: { ...details.completed, ...named },
};
