import { denied, modelNamed } from './chat.ts';
import { errorReply, jsonReply, type FakeGatewayReply, streamReply } from './reply.ts';

/** A response of a conforming gateway, as one body or as events. */
export function responsesReply(body: Record<string, unknown>): FakeGatewayReply {
  const model = modelNamed(body.model);
  if (model === undefined) return denied();
  const previous = body.previous_response_id;
  if (previous !== undefined && previous !== id) {
    return errorReply(400, 'previous_response_not_found', 'gateway_error', 'No such response.');
  }
  const usage = { input_tokens: 3, output_tokens: 1, total_tokens: 4 };
  const item = { id: 'msg_fake_0', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] };
  const response = { id, object: 'response', model: model.id, status: 'completed', output: [item], usage };
  if (body.stream !== true) return jsonReply(200, response);
  const started = { ...response, status: 'in_progress', output: [], usage: null };
  const position = { item_id: item.id, output_index: 0, content_index: 0 };
  const events = [
    { type: 'response.created', response: started },
    { type: 'response.in_progress', response: started },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
    { type: 'response.output_text.delta', ...position, delta: 'Hi' },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response },
  ];
  return streamReply(events.map((event, index) => ({ ...event, sequence_number: index })));
}

/** The reply to a WebSocket upgrade. */
export function noUpgrade(): FakeGatewayReply {
  return errorReply(426, 'upgrade_refused', 'gateway_error', 'No WebSockets here.');
}

const id = 'resp_fake_1';
