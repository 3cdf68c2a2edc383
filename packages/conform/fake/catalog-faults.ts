import { changing, changingChunks, changingJson, type FaultRow, to } from './change.ts';

const catalog = to('/v1/models', 'GET');
const body = (change: Parameters<typeof changingJson>[1]) => changingJson(catalog, change);
const last = (change: (entry: Record<string, unknown>) => void) => body(({ data }) => change(data.at(-1) ?? {}));

export const catalogFaults: readonly FaultRow[] = [
  ['models/list', 'the list has another object', body((all) => void (all.object = 'models'))],
  [
    'models/list',
    'the catalog is plain text',
    changing(catalog, (reply) => void (reply.headers['content-type'] = 'text/plain')),
  ],
  ['models/list', 'the catalog is empty', body((all) => void (all.data = []))],
  ['models/success', 'success is missing', body((all) => void delete all.success)],
  ['models/id', 'two models share an id', last((entry) => void (entry.id = 'fake-chat-2026-01-02'))],
  ['models/object', 'an entry has another object', last((entry) => void (entry.object = 'engine'))],
  ['models/created', 'a model has a real date', last((entry) => void (entry.created = 1767322800))],
  ['models/owned-by', 'a model has no owner', last((entry) => void delete entry.owned_by)],
  ['models/surfaces', 'a model has no surface', last((entry) => void (entry.supported_endpoint_types = []))],
  ['models/surfaces', 'a tag is unknown', last((entry) => void (entry.supported_endpoint_types = ['fax', 'openai']))],
  [
    'models/chat-last',
    'the chat surface comes first',
    last((entry) => void (entry.supported_endpoint_types = ['openai', 'anthropic'])),
  ],
  [
    'names/catalog-id',
    'chunks contain the provider’s model name',
    changingChunks((all) => all.forEach((chunk) => void (chunk.model = 'large-v3'))),
  ],
  [
    'names/alias',
    'chunks contain the alias',
    changingChunks((all, { json }) => all.forEach((chunk) => void (chunk.model = json.model))),
  ],
];
