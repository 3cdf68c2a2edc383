import { type CheckCatalog, chatTag } from './catalog.ts';
import { type ChatStream, chatStream } from './chat-stream.ts';
import type { ReceivedReply, ConformRequest, ConformClient } from './client.ts';
import { expectThat, skip } from './outcome.ts';
import { isUpstreamRejection } from './refusal.ts';
import { describe } from './wording.ts';

export const chatPath = '/v1/chat/completions';
/** A model name that no catalog contains. */
export const absentModel = 'conform-no-such-model-2000-01-01';

/** A field that the contract does not list. */
export const unlistedField = { conform_unlisted_field: { anything: [1, 'two'] } };

const candidatesMax = 6;

/** Fields of a chat request. They are added to, or replace, the default fields. */
export type Fields = Readonly<Record<string, unknown>>;

/** Access of a check to the deployment, with the rights of the key. */
export interface Context {
  readonly key: string;
  readonly messagesPrefix: string;
  readonly catalog: CheckCatalog;
  readonly replies: readonly ReceivedReply[];
  readonly send: (request: ConformRequest) => Promise<ReceivedReply>;
  /** Completes the given fields to a chat request. */
  readonly chatBody: (fields: Fields) => Fields;
  /** Posts a chat request. The same request is sent only once in a run. */
  readonly post: (fields: Fields) => Promise<ReceivedReply>;
  /** A chat that must succeed according to the contract. */
  readonly chat: (fields: Fields) => Promise<ChatStream>;
  /** A chat that the upstream of this model may reject. In that case the check is skipped. */
  readonly attempt: (fields: Fields) => Promise<ChatStream>;
  /** Models to search for a capability: the given one, or the first few of the catalog. */
  readonly candidates: readonly string[];
}

export interface ContextOptions {
  readonly client: ConformClient;
  readonly catalog: CheckCatalog;
  readonly key: string;
  readonly messagesPrefix: string;
  readonly model: string | undefined;
}

export function contextOf(options: ContextOptions): Context {
  const { client, catalog } = options;
  const candidates = candidatesOf(catalog, options.model);
  const sent = new Map<string, Promise<ReceivedReply>>();

  const chatBody = (fields: Fields): Fields => {
    const [model] = candidates;
    expectThat(model !== undefined, 'a model in the catalog', `GET /v1/models returned ${describe(catalog.reply)}`);
    return { model, messages: [{ role: 'user', content: 'Say hello in one sentence.' }], max_tokens: 16, ...fields };
  };

  const post = async (fields: Fields): Promise<ReceivedReply> => {
    const body = JSON.stringify(chatBody(fields));
    const reply = sent.get(body) ?? client.send({ method: 'POST', path: chatPath, body });
    sent.set(body, reply);
    return reply;
  };

  return {
    key: options.key,
    messagesPrefix: options.messagesPrefix,
    catalog,
    replies: client.replies,
    send: client.send,
    candidates,
    chatBody,
    post,
    chat: async (fields) => chatStream(await post(fields)),
    attempt: async (fields) => {
      const reply = await post(fields);
      if (isUpstreamRejection(reply)) skip(`the gateway accepted it, but the upstream rejected it: ${describe(reply)}`);
      return chatStream(reply);
    },
  };
}

function candidatesOf(catalog: CheckCatalog, model: string | undefined): readonly string[] {
  if (model !== undefined) return [model];
  const chatting = catalog.on(chatTag);
  return (chatting.length > 0 ? chatting : catalog.ids).slice(0, candidatesMax);
}
