import type { OneApiProduct } from './source.ts';

/** A type of channel: what the product calls it, and which kind of upstream reaches the same provider. */
export interface ChannelKind {
  readonly title: string;
  /** `undefined`: the gateway has no kind for its protocol. */
  readonly kind?: string | undefined;
  /** The address that the product uses if the channel has none. */
  readonly base?: string;
  /** The part of the path that the product appends to the address of a channel. */
  readonly path?: string;
  /** Its credential or address needs more than a key. */
  readonly form?: 'azure' | 'bedrock' | 'vertex' | 'cloudflare' | 'full-address' | 'key-and-app';
}

/** Providers that several types are, or a type of each product. */
const provider = {
  ollama: { title: 'Ollama', kind: 'ollama', base: 'http://localhost:11434', path: '/v1' },
  cohere: { title: 'Cohere', kind: 'cohere', base: 'https://api.cohere.ai', path: '/compatibility/v1' },
  minimax: { title: 'MiniMax', kind: 'minimax-cn', base: 'https://api.minimax.chat', path: '/v1' },
  siliconflow: { title: 'SiliconFlow', kind: 'siliconflow', base: 'https://api.siliconflow.cn', path: '/v1' },
  mistral: { title: 'Mistral', kind: 'mistral', base: 'https://api.mistral.ai', path: '/v1' },
  deepseek: { title: 'DeepSeek', kind: 'deepseek', base: 'https://api.deepseek.com', path: '/v1' },
  xai: { title: 'xAI', kind: 'xai', base: 'https://api.x.ai', path: '/v1' },
  vertex: { title: 'Vertex AI', kind: 'vertex', form: 'vertex' },
  cloudflare: { title: 'Cloudflare', kind: 'openai', base: 'https://api.cloudflare.com', form: 'cloudflare' },
  zhipu: { title: 'Zhipu', kind: 'zhipu', base: 'https://open.bigmodel.cn', path: '/api/paas/v4' },
  // The products use the provider's own protocol; the same key is valid for its chat-completions API.
  qwen: { title: 'Ali', kind: 'qwen', base: 'https://dashscope.aliyuncs.com', path: '/compatible-mode/v1' },
  volcano: { title: 'VolcEngine', kind: 'openai', base: 'https://ark.cn-beijing.volces.com', path: '/api/v3' },
  // The key may have an application id behind a `|`, which is sent as a header.
  baidu: { title: 'Baidu v2', kind: 'openai', base: 'https://qianfan.baidubce.com', path: '/v2', form: 'key-and-app' },
} as const satisfies Readonly<Record<string, ChannelKind>>;

/** Types that are the same in both products. */
const common: Readonly<Record<number, ChannelKind>> = {
  1: { title: 'OpenAI', kind: 'openai', base: 'https://api.openai.com', path: '/v1' },
  3: { title: 'Azure', kind: 'azure', form: 'azure' },
  6: compatible('OpenAI Max', 'https://api.openaimax.com'),
  7: compatible('OhMyGPT', 'https://api.ohmygpt.com'),
  9: compatible('AILS', 'https://api.caipacity.com'),
  10: compatible('AI Proxy', 'https://api.aiproxy.io'),
  11: { title: 'PaLM' },
  12: compatible('API2GPT', 'https://api.api2gpt.com'),
  13: compatible('AIGC2D', 'https://api.aigc2d.com'),
  14: { title: 'Anthropic', kind: 'anthropic', base: 'https://api.anthropic.com', path: '/v1' },
  15: { title: 'Baidu' },
  16: provider.zhipu,
  17: provider.qwen,
  18: { title: 'Xunfei' },
  19: compatible('360', 'https://api.360.cn'),
  20: { title: 'OpenRouter', kind: 'openrouter', base: 'https://openrouter.ai/api', path: '/v1' },
  21: { title: 'AI Proxy Library' },
  22: compatible('FastGPT', 'https://fastgpt.run/api/openapi'),
  23: { title: 'Tencent' },
  24: { title: 'Gemini', kind: 'google', base: 'https://generativelanguage.googleapis.com', path: '/v1beta/openai' },
  25: { title: 'Moonshot', kind: 'moonshot-cn', base: 'https://api.moonshot.cn', path: '/v1' },
  31: compatible('01.AI', 'https://api.lingyiwanwu.com'),
  33: { title: 'AWS', kind: 'bedrock', form: 'bedrock' },
};

const ofNewApi: Readonly<Record<number, ChannelKind>> = {
  2: { title: 'Midjourney Proxy' },
  4: provider.ollama,
  5: { title: 'Midjourney Proxy Plus' },
  8: { title: 'Custom', kind: 'openai', form: 'full-address' },
  26: { ...provider.zhipu, title: 'Zhipu v4' },
  27: { title: 'Perplexity', kind: 'perplexity', base: 'https://api.perplexity.ai', path: '' },
  34: provider.cohere,
  35: provider.minimax,
  36: { title: 'Suno' },
  37: { title: 'Dify' },
  38: compatible('Jina', 'https://api.jina.ai'),
  39: provider.cloudflare,
  40: provider.siliconflow,
  41: provider.vertex,
  42: provider.mistral,
  43: provider.deepseek,
  44: compatible('Moka AI', 'https://api.moka.ai'),
  45: provider.volcano,
  46: provider.baidu,
  47: { title: 'Xinference', kind: 'openai', path: '/v1' },
  48: provider.xai,
  49: { title: 'Coze' },
  50: { title: 'Kling' },
  51: { title: 'Jimeng' },
  52: { title: 'Vidu' },
  53: compatible('Submodel', 'https://llm.submodel.ai'),
  54: { title: 'Doubao Video' },
  55: { title: 'Sora' },
  56: { title: 'Replicate' },
  57: { title: 'ChatGPT account' },
  58: { title: 'custom routes' },
  59: { title: 'Sub2API', kind: 'openai', path: '/v1' },
  60: { title: 'New API', kind: 'openai', path: '/v1' },
};

const ofOneApi: Readonly<Record<number, ChannelKind>> = {
  2: compatible('API2D', 'https://oa.api2d.net'),
  4: compatible('CloseAI', 'https://api.closeai-proxy.xyz'),
  5: compatible('OpenAI-SB', 'https://api.openai-sb.com'),
  8: { title: 'Custom', kind: 'openai', path: '/v1' },
  26: compatible('Baichuan', 'https://api.baichuan-ai.com'),
  27: provider.minimax,
  28: provider.mistral,
  29: { title: 'Groq', kind: 'groq', base: 'https://api.groq.com/openai', path: '/v1' },
  30: provider.ollama,
  32: compatible('StepFun', 'https://api.stepfun.com'),
  34: { title: 'Coze' },
  35: provider.cohere,
  36: provider.deepseek,
  37: provider.cloudflare,
  38: { title: 'DeepL' },
  39: { title: 'Together', kind: 'together', base: 'https://api.together.xyz', path: '/v1' },
  40: { ...provider.volcano, title: 'Doubao' },
  41: { title: 'Novita', kind: 'openai', base: 'https://api.novita.ai/v3/openai', path: '' },
  42: provider.vertex,
  43: { title: 'Proxy' },
  44: provider.siliconflow,
  45: provider.xai,
  46: { title: 'Replicate' },
  47: provider.baidu,
  48: compatible('Xunfei v2', 'https://spark-api-open.xf-yun.com'),
  49: { ...provider.qwen, title: 'Ali Bailian' },
  50: { title: 'OpenAI-compatible', kind: 'openai', path: '' },
  51: {
    title: 'Gemini (OpenAI-compatible)',
    kind: 'google-openai',
    base: 'https://generativelanguage.googleapis.com/v1beta/openai',
    path: '',
  },
};

export function channelKind(product: OneApiProduct, type: string): ChannelKind | undefined {
  const number = Number(type);
  return (product === 'new-api' ? ofNewApi : ofOneApi)[number] ?? common[number];
}

/** Names that new-api accepts instead of an address. */
export const namedAddresses: Readonly<Record<string, string>> = {
  'glm-coding-plan': 'https://open.bigmodel.cn/api/coding/paas/v4',
  'glm-coding-plan-international': 'https://api.z.ai/api/coding/paas/v4',
  'kimi-coding-plan': 'https://api.kimi.com/coding/v1',
  'doubao-coding-plan': 'https://ark.cn-beijing.volces.com/api/coding/v3',
};

/** A provider of the chat-completions format without a preset. */
function compatible(title: string, base: string): ChannelKind {
  return { title, kind: 'openai', base, path: '/v1' };
}
