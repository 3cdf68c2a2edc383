import type { ChatRequest } from '../../chat/chat-request.ts';
import { effortOf } from '../../effort.ts';
import { objectOf, type WireObject } from '../../wire-value.ts';
import type { BodyFields } from './body-fields.ts';
import type { ResolvedQuirks } from '../quirks.ts';

/** Values of the client are always sent; missing ones as the contract's defaults, if model and provider take them. */
export function setThinking(
  fields: BodyFields,
  request: ChatRequest,
  { thinkingCapable, quirks }: { readonly thinkingCapable: boolean; readonly quirks: ResolvedQuirks },
): void {
  const settings = settingsOf(request, thinkingCapable && quirks.thinkingDefaults);
  const effortWord = settings.effort === 'max' ? quirks.effortMax : quirks.effortHigh;
  styles[quirks.thinkingStyle](fields, {
    isEnabled: settings.thinking && settings.thinking === 'enabled',
    thinking: settings.thinking && { ...objectOf(fields.get('thinking')), type: settings.thinking },
    effort: settings.effort && effortWord,
    budget: settings.thinking === 'enabled' && request.effort === undefined ? request.thinkingBudget : undefined,
  });
}

/** No default effort without reasoning. In the messages format, reasoning is off unless the client sets it. */
function settingsOf(request: ChatRequest, takesDefaults: boolean): Pick<ChatRequest, 'thinking' | 'effort'> {
  const isTranslated = request.wire.format === 'messages';
  const isDefault = takesDefaults && !isTranslated;
  const thinking = request.thinking ?? (isDefault ? 'enabled' : undefined);
  const { thinkingBudget, defaultEffort = 'high' } = request;
  const hasOpenEffort = thinking === 'enabled' && (takesDefaults || (isTranslated && thinkingBudget !== undefined));
  const fallback = thinkingBudget === undefined ? defaultEffort : effortOf(thinkingBudget);
  return { thinking, effort: request.effort ?? (hasOpenEffort ? fallback : undefined) };
}

/** The reasoning settings to send, in every form that a style may need; `undefined` is not sent. */
interface ThinkingFields {
  readonly isEnabled: boolean | undefined;
  /** The client's object, which may have more members than its type. */
  readonly thinking: WireObject | undefined;
  readonly effort: string | undefined;
  /** The reasoning budget in tokens, if the client set a number instead of an effort. */
  readonly budget: number | undefined;
}

/** If the client set a field that only one provider supports, it stays unchanged. */
const styles: Readonly<
  Record<ResolvedQuirks['thinkingStyle'], (fields: BodyFields, settings: ThinkingFields) => void>
> = {
  both(fields, { thinking, effort }) {
    put(fields, 'thinking', thinking);
    put(fields, 'reasoning_effort', effort);
  },
  thinking(fields, { thinking }) {
    put(fields, 'thinking', thinking);
    fields.delete('reasoning_effort');
  },
  reasoning_effort(fields, { isEnabled, effort }) {
    fields.delete('thinking');
    put(fields, 'reasoning_effort', isEnabled === false ? 'none' : effort);
  },
  enable_thinking(fields, { isEnabled, budget }) {
    deleteContractFields(fields);
    if (isEnabled === undefined || fields.has('enable_thinking')) return;
    fields.set('enable_thinking', isEnabled);
    if (budget !== undefined && !fields.has('thinking_budget')) fields.set('thinking_budget', budget);
  },
  chat_template_kwargs(fields, { isEnabled, effort }) {
    deleteContractFields(fields);
    // Chat templates use different names for the switch and ignore unknown ones.
    const kwargs = {
      ...(isEnabled !== undefined && { enable_thinking: isEnabled, thinking: isEnabled }),
      ...(effort !== undefined && { reasoning_effort: effort }),
    };
    if (Object.keys(kwargs).length === 0) return;
    fields.set('chat_template_kwargs', { ...kwargs, ...objectOf(fields.get('chat_template_kwargs')) });
  },
  reasoning(fields, { isEnabled, effort, budget }) {
    deleteContractFields(fields);
    if ((isEnabled ?? effort) === undefined || fields.has('reasoning')) return;
    const extent = budget === undefined ? { effort } : { max_tokens: budget };
    fields.set('reasoning', isEnabled === false ? { enabled: false } : { enabled: isEnabled, ...extent });
  },
  // Reasoning is in the answer only if it is requested with this object, which excludes an effort.
  thinking_config(fields, { isEnabled, budget }) {
    deleteContractFields(fields);
    if (isEnabled === false) fields.set('reasoning_effort', 'none');
    if (isEnabled !== true || fields.has('extra_body')) return;
    const thinking_config = { include_thoughts: true, ...(budget !== undefined && { thinking_budget: budget }) };
    fields.set('extra_body', { google: { thinking_config } });
  },
  none: deleteContractFields,
};

function put(fields: BodyFields, name: string, value: unknown): void {
  if (value === undefined) fields.delete(name);
  else fields.set(name, value);
}

function deleteContractFields(fields: BodyFields): void {
  fields.delete('thinking');
  fields.delete('reasoning_effort');
}
