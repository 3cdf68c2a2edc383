import { passThroughEndpoints } from 'chat-formats/chat/pass-through-endpoint.ts';
import { chatTag } from '../catalog.ts';
import { check, group } from '../check.ts';
import type { Context } from '../context.ts';
import { at, isText, listAt, parsed } from '../json.ts';
import { expectThat } from '../outcome.ts';
import { describe, show } from '../wording.ts';

const placeholderCreated = 1626777600;
const chatTags = [chatTag, 'anthropic', 'openai-response', 'gemini'];
/** Tags of models without a chat surface. */
const passThroughTags: readonly string[] = passThroughEndpoints;
const knownTags = [...chatTags, ...passThroughTags];

export const models = group('models', 'The catalog, GET /v1/models', [
  check('list', 'The catalog is a JSON object with object "list"', async ({ catalog: { reply } }) => {
    expectThat(reply.status === 200, '200 for a valid key', describe(reply));
    expectThat(reply.mediaType === 'application/json', 'Content-Type: application/json', describe(reply));
    const body = parsed(reply.text);
    expectThat(at(body, 'object') === 'list', 'object "list"', show(at(body, 'object')));
    expectThat(listAt(body, 'data').length > 0, 'data to be a list of at least one model', show(at(body, 'data')));
  }),
  check('success', 'The catalog has success: true', async ({ catalog: { reply } }) => {
    const success = at(parsed(reply.text), 'success');
    expectThat(success === true, 'success true', show(success));
  }),
  check('id', 'Every model has a unique id', async (context) => {
    const seen = new Set<unknown>();
    every(context, (entry) => {
      const id = at(entry, 'id');
      expectThat(isText(id) && !seen.has(id), 'an id that no other entry has', show(entry));
      seen.add(id);
    });
  }),
  check('object', 'Every entry has object "model"', async (context) => {
    every(context, (entry) => expectThat(at(entry, 'object') === 'model', 'object "model"', show(entry)));
  }),
  check('created', 'Every model has the same placeholder for its creation time', async (context) => {
    every(context, (entry) => {
      expectThat(at(entry, 'created') === placeholderCreated, `created ${placeholderCreated}`, show(entry));
    });
  }),
  check('owned-by', 'Every model has owned_by', async (context) => {
    every(context, (entry) => expectThat(isText(at(entry, 'owned_by')), 'owned_by to be a string', show(entry)));
  }),
  check('surfaces', 'Every model lists at least one surface with a known tag', async (context) => {
    every(context, (entry) => {
      const tags = listAt(entry, 'supported_endpoint_types');
      expectThat(tags.length > 0, 'supported_endpoint_types to name a surface', show(entry));
      const isValid = tags.every((tag) => knownTags.includes(tag as string)) && new Set(tags).size === tags.length;
      expectThat(isValid, `unique tags from ${knownTags.join(', ')}`, show(entry));
    });
  }),
  check('chat-last', 'The chat-completions surface is the last one listed', async (context) => {
    every(context, (entry) => {
      const tags = listAt(entry, 'supported_endpoint_types');
      if (tags.length > 0 && tags.every((tag) => passThroughTags.includes(tag as string))) return;
      expectThat(tags.at(-1) === chatTag, `"${chatTag}" as the last tag`, show(entry));
    });
  }),
]);

function every(context: Context, rule: (entry: unknown) => void): void {
  const entries = listAt(parsed(context.catalog.reply.text), 'data');
  expectThat(entries.length > 0, 'a catalog with models', describe(context.catalog.reply));
  for (const entry of entries) rule(entry);
}
