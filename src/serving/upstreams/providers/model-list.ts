import { isObject, listOf, objectOf, parsedJson, type WireObject, nonEmptyString } from 'chat-formats/wire-value.ts';

export interface ListedModel {
  readonly id: string;
  readonly ownedBy: string | undefined;
  readonly contextWindow: number | undefined;
}

/** Returns the chat models of a provider's list, or `undefined` if the text is not a list of models. */
export function decodeModelList(text: string, idPrefix = ''): readonly ListedModel[] | undefined {
  const body = parsedJson(text);
  const list = [body, objectOf(body)?.data, objectOf(body)?.models].find(Array.isArray);
  return (
    list &&
    listOf(list)
      .filter(isObject)
      .flatMap((entry) => listedModel(entry, idPrefix))
  );
}

/** Whether a list comes from a gateway like this one. The gateway must not use itself as a provider. */
export function isGatewayList(text: string): boolean {
  const body = parsedJson(text);
  return isObject(body) && body.success === true;
}

function listedModel(entry: WireObject, idPrefix: string): readonly ListedModel[] {
  const listed = nonEmptyString(entry.id) ?? nonEmptyString(entry.name);
  if (listed === undefined || isOfOtherKind(entry, listed)) return [];
  const id = idPrefix !== '' && listed.startsWith(idPrefix) ? listed.slice(idPrefix.length) : listed;
  return [{ id, ownedBy: nonEmptyString(entry.owned_by), contextWindow: contextWindow(entry) }];
}

const otherNames =
  /embed|rerank|\bbge-|\be5-|\bgte-|whisper|\basr\b|\btts\b|speech|transcri|audio|voice|realtime|dall-e|image|imagen|diffusion|flux|video|\bsora|\bveo\b|moderation|guard|babbage|davinci|\bocr\b|clip\b|lyria/i;
const otherTypes = /embed|rerank|image|audio|video|moderation|transcri|speech/i;

function isOfOtherKind(entry: WireObject, id: string): boolean {
  const abilities = entry.supportedGenerationMethods;
  if (Array.isArray(abilities) && !abilities.includes('generateContent')) return true;
  return otherNames.test(id) || otherTypes.test(nonEmptyString(entry.type) ?? '');
}

/** Each provider uses a different field name. */
function contextWindow(entry: WireObject): number | undefined {
  const meta = isObject(entry.meta) ? entry.meta : {};
  const candidates = [
    entry.context_length,
    entry.context_window,
    entry.max_model_len,
    entry.max_context_length,
    entry.inputTokenLimit,
    meta.n_ctx_train,
  ];
  return candidates.find((value): value is number => Number.isInteger(value) && Number(value) > 0);
}
