import { replaceReply, changing, changingJson, type FaultRow, to } from './change.ts';
import { errorReply, type FakeRequest, jsonReply } from './reply.ts';

const responses = to('/v1/responses', 'POST');
const whole = (request: FakeRequest) => responses(request) && request.json.stream !== true;
const replacing = (from: string, by: string) =>
  changing(responses, (reply) => void (reply.body = reply.body.replace(from, by)));

export const responsesFaults: readonly FaultRow[] = [
  [
    'responses-surface/missing',
    'a request without a key is accepted',
    changing(
      (request) => responses(request) && request.headers.authorization === undefined,
      (reply) => replaceReply(reply, jsonReply(200, {})),
    ),
  ],
  [
    'responses-surface/same-key',
    'an unknown model has the code model_not_found',
    changingJson(
      (request) => responses(request) && request.json.model === 'conform-no-such-model-2000-01-01',
      ({ error }) => void (error.code = 'model_not_found'),
    ),
  ],
  [
    'responses-surface/response',
    'the answer has another object',
    changingJson(whole, (body) => void (body.object = 'message')),
  ],
  ['responses-surface/response', 'there is no usage', changingJson(whole, (body) => void delete body.usage)],
  ['responses-surface/stream', 'response.created is missing', replacing('"response.created"', '"response.begun"')],
  ['responses-surface/stream', '[DONE] is missing', replacing('data: [DONE]\n\n', '')],
  [
    'responses-surface/numbers',
    'a sequence number is skipped',
    replacing('"sequence_number":3', '"sequence_number":4'),
  ],
  ['responses-surface/items', 'an item changes its id', replacing('"item_id":"msg_fake_0"', '"item_id":"msg_fake_1"')],
  ['responses-surface/items', 'an item is never done', replacing('output_item.done', 'output_item.left')],
  [
    'responses-surface/previous',
    'a stored response makes the next one fail',
    changing(
      (request) => responses(request) && request.json.previous_response_id === 'resp_fake_1',
      (reply) => replaceReply(reply, errorReply(502, 'upstream_failed', 'gateway_error', 'No.')),
    ),
  ],
  [
    'responses-surface/unknown-previous',
    'an unknown previous_response_id is accepted',
    changing(
      (request) => responses(request) && request.json.previous_response_id === 'resp_conform_no_such_response',
      (reply) => replaceReply(reply, jsonReply(200, { object: 'response' })),
    ),
  ],
  [
    'responses-surface/no-web-socket',
    'the upgrade gives 405',
    changing(to('/v1/responses', 'GET'), (reply) => void (reply.status = 405)),
  ],
];
