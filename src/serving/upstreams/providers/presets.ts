import type { UpstreamKind } from '../../../platform/config/schema/upstream-kind.ts';
import { clouds, geminiQuirks, ownSettings } from './clouds.ts';
import type { Preset } from './preset.ts';

/** The end-user id is not forwarded: the provider has no field for it, or refuses unknown fields. */
const noUser = { userField: 'none' } as const;

/** The highest effort is `high`: the provider has no level above it. */
const effortUpToHigh = { thinkingStyle: 'reasoning_effort', effortHigh: 'high', effortMax: 'high' } as const;

const moonshot = {
  ...noUser,
  maxTokensField: 'max_completion_tokens',
  thinkingStyle: 'thinking',
  stopMax: 5,
  cacheAffinity: 'prompt_cache_key',
  reasoningReplay: true,
  prefixStyle: 'partial',
} as const;
const moonshotKeys = ['MOONSHOT_API_KEY', 'KIMI_API_KEY'];

/** Usage is always in the last chunk, and `stream_options` is not among the documented fields. */
const glm = { ...noUser, thinkingStyle: 'thinking', stopMax: 1, reasoningReplay: true, usageOption: false } as const;

const qwen = { ...noUser, thinkingStyle: 'enable_thinking', reasoningReplay: true, prefixStyle: 'partial' } as const;
const qwenKeys = ['DASHSCOPE_API_KEY', 'QWEN_API_KEY'];
const qwenPath = 'aliyuncs.com/compatible-mode/v1';

/** The model decides itself whether to reason. Reasoning comes as `<think>` text. */
const minimax = { ...noUser, maxTokensField: 'max_completion_tokens', thinkingStyle: 'none' } as const;

/** Usage is always in every chunk. */
const siliconflow = { ...noUser, thinkingStyle: 'enable_thinking', reasoningReplay: true, usageOption: false } as const;
const siliconflowKeys = ['SILICONFLOW_API_KEY'];

const gemini = 'https://generativelanguage.googleapis.com/v1beta/openai';
const geminiKeys = ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'GOOGLE_API_KEY'];

/** Providers that can be configured by name alone. What a row leaves out is as in the standard format. */
export const presets: readonly Preset[] = [
  row('openai', 'OpenAI', 'https://api.openai.com/v1', ['OPENAI_API_KEY'], {
    maxTokensField: 'max_completion_tokens',
    thinkingStyle: 'reasoning_effort',
    effortMax: 'xhigh',
    userField: 'user',
    stopMax: 4,
    maxTokens: true,
    strict: true,
    toolChoice: true,
    json: 'schema',
    cacheAffinity: 'prompt_cache_key',
    responses: true,
  }),
  {
    ...row('anthropic', 'Anthropic', 'https://api.anthropic.com/v1', ['ANTHROPIC_API_KEY'], {
      stopMax: 1000,
      maxTokens: true,
      toolChoice: true,
    }),
    wireFormat: 'messages',
    listing: { keyHeader: 'x-api-key', headers: { 'anthropic-version': '2023-06-01' } },
    note: 'Uses the messages format: requests of such clients are passed through unchanged. Also for other providers of that format, with a `base_url`.',
  },
  row('deepseek', 'DeepSeek', 'https://api.deepseek.com', ['DEEPSEEK_API_KEY'], {
    stopMax: 16,
    maxTokens: true,
    thinkingStyle: 'both',
    reasoningReplay: true,
    completions: true,
    suffix: true,
    completionsUrl: 'https://api.deepseek.com/beta',
    prefixStyle: 'prefix',
    prefixUrl: 'https://api.deepseek.com/beta',
  }),
  row('moonshot', 'Moonshot', 'https://api.moonshot.ai/v1', moonshotKeys, moonshot),
  row('moonshot-cn', 'Moonshot (China)', 'https://api.moonshot.cn/v1', moonshotKeys, moonshot),
  row('zhipu', 'Zhipu', 'https://open.bigmodel.cn/api/paas/v4', ['ZHIPU_API_KEY', 'ZHIPUAI_API_KEY'], glm),
  row('zai', 'Z.ai', 'https://api.z.ai/api/paas/v4', ['ZAI_API_KEY', 'Z_AI_API_KEY'], glm),
  row('qwen', 'Qwen (DashScope)', `https://dashscope.${qwenPath}`, qwenKeys, qwen),
  row('qwen-intl', 'Qwen (DashScope international)', `https://dashscope-intl.${qwenPath}`, qwenKeys, qwen),
  row('minimax', 'MiniMax', 'https://api.minimax.io/v1', ['MINIMAX_API_KEY'], minimax),
  row('minimax-cn', 'MiniMax (China)', 'https://api.minimaxi.com/v1', ['MINIMAX_API_KEY'], minimax),
  row('mistral', 'Mistral', 'https://api.mistral.ai/v1', ['MISTRAL_API_KEY'], {
    ...effortUpToHigh,
    ...noUser,
    // Usage is always in the last chunk, and unknown fields are refused.
    usageOption: false,
    prefixStyle: 'prefix',
    fields: 'standard',
    callIds: 'nine-characters',
  }),
  {
    ...row('google', 'Google Gemini', gemini, geminiKeys, geminiQuirks),
    listing: { keyHeader: 'x-goog-api-key', path: '../models?pageSize=1000', idPrefix: 'models/' },
  },
  {
    ...row('cohere', 'Cohere', 'https://api.cohere.ai/compatibility/v1', ['COHERE_API_KEY', 'CO_API_KEY'], {
      ...effortUpToHigh,
      ...noUser,
      usageOption: false,
      stopMax: 5,
      fields: 'standard',
    }),
    listing: { path: '../../v1/models?endpoint=chat&page_size=1000' },
  },
  row('groq', 'Groq', 'https://api.groq.com/openai/v1', ['GROQ_API_KEY'], {
    ...effortUpToHigh,
    stopMax: 4,
    maxTokens: true,
    maxTokensField: 'max_completion_tokens',
    userField: 'user',
  }),
  row('together', 'Together', 'https://api.together.ai/v1', ['TOGETHER_API_KEY'], {
    ...effortUpToHigh,
    ...noUser,
    completions: true,
  }),
  row('fireworks', 'Fireworks', 'https://api.fireworks.ai/inference/v1', ['FIREWORKS_API_KEY'], {
    ...effortUpToHigh,
    cacheAffinity: 'x-session-affinity',
    userField: 'user',
    completions: true,
  }),
  row('openrouter', 'OpenRouter', 'https://openrouter.ai/api/v1', ['OPENROUTER_API_KEY'], {
    thinkingStyle: 'reasoning',
    reasoningReplay: true,
    effortMax: 'xhigh',
    userField: 'user',
    completions: true,
  }),
  row('xai', 'xAI', 'https://api.x.ai/v1', ['XAI_API_KEY'], {
    ...effortUpToHigh,
    cacheAffinity: 'x-grok-conv-id',
    maxTokens: true,
    maxTokensField: 'max_completion_tokens',
    userField: 'user',
  }),
  {
    ...row('google-openai', 'Google Gemini (earlier name)', gemini, geminiKeys, geminiQuirks),
    listing: { idPrefix: 'models/' },
    isEnabledByKey: false,
    note: 'The same as `google`.',
  },
  row('cerebras', 'Cerebras', 'https://api.cerebras.ai/v1', ['CEREBRAS_API_KEY'], {
    ...effortUpToHigh,
    maxTokens: true,
    maxTokensField: 'max_completion_tokens',
    userField: 'user',
    completions: true,
  }),
  row('siliconflow', 'SiliconFlow', 'https://api.siliconflow.cn/v1', siliconflowKeys, siliconflow),
  row(
    'siliconflow-intl',
    'SiliconFlow (international)',
    'https://api.siliconflow.com/v1',
    siliconflowKeys,
    siliconflow,
  ),
  row('nvidia', 'NVIDIA', 'https://integrate.api.nvidia.com/v1', ['NVIDIA_API_KEY'], {
    ...noUser,
    thinkingStyle: 'chat_template_kwargs',
  }),
  row('deepinfra', 'DeepInfra', 'https://api.deepinfra.com/v1/openai', ['DEEPINFRA_API_KEY', 'DEEPINFRA_TOKEN'], {
    ...effortUpToHigh,
    userField: 'user',
    completions: true,
  }),
  row('perplexity', 'Perplexity', 'https://api.perplexity.ai', ['PERPLEXITY_API_KEY', 'PPLX_API_KEY'], {
    ...effortUpToHigh,
    ...noUser,
    usageOption: false,
  }),
  row('ollama', 'Ollama', 'http://127.0.0.1:11434/v1', [], {
    ...effortUpToHigh,
    ...noUser,
    completions: true,
    suffix: true,
  }),
  row('lmstudio', 'LM Studio', 'http://127.0.0.1:1234/v1', [], { ...effortUpToHigh, ...noUser, completions: true }),
  row('vllm', 'vLLM', 'http://127.0.0.1:8000/v1', [], {
    maxTokens: true,
    thinkingStyle: 'chat_template_kwargs',
    reasoningReplay: true,
    userField: 'user',
    completions: true,
    prefixStyle: 'continue_final_message',
  }),
  row('llamacpp', 'llama.cpp', 'http://127.0.0.1:8080/v1', [], {
    maxTokens: true,
    thinkingStyle: 'chat_template_kwargs',
    ...noUser,
    completions: true,
  }),
];

export const knownKinds: readonly UpstreamKind[] = [
  ...[...presets, ...clouds].map(({ name, environment }) => ({
    name,
    hasAddress: true,
    environment,
    own: ownSettings[name],
  })),
  { name: 'simulated', hasAddress: true },
];

function row(
  name: string,
  title: string,
  baseUrl: string,
  environment: readonly string[],
  quirks: Preset['quirks'],
): Preset {
  return { name, title, baseUrl, environment, wireFormat: 'chat-completions', quirks };
}

/** A provider that can be configured by name, described for people. */
export interface KnownProvider extends Pick<Preset, 'name' | 'title' | 'environment'> {
  /** The address of its API. Parts in capitals depend on the customer. */
  readonly address: string;
  /** Fields it accepts in addition to those of all upstreams. */
  readonly fields: readonly string[];
  /** How to write its mandatory fields. */
  readonly needs: readonly string[];
  readonly note: string | undefined;
}

export const knownProviders: readonly KnownProvider[] = [
  ...presets.map(({ baseUrl, name, title, environment, note }) =>
    known({ name, title, environment, note, address: baseUrl }),
  ),
  ...clouds.map(({ name, title, environment, note, address }) => known({ name, title, environment, note, address })),
];

function known(provider: Omit<KnownProvider, 'fields' | 'needs'>): KnownProvider {
  const own = ownSettings[provider.name];
  return { ...provider, fields: own?.takes ?? [], needs: own?.needs.map(({ fix }) => fix) ?? [] };
}
