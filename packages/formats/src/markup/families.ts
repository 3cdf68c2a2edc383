import {
  brace,
  type CallForm,
  type ChannelForm,
  header,
  json,
  type MarkupFamily,
  pythonic,
  type SpanForm,
  tagged,
} from './family.ts';
import { id, maybe, name, numbered } from './header-calls.ts';
import type { Nesting } from './tagged-value.ts';

function reasoning(opens: readonly string[], closes: readonly string[]): SpanForm {
  return { sink: 'reasoning', opens, closes };
}

function wrapper(opens: readonly string[], closes: readonly string[]): SpanForm {
  return { sink: 'text', opens, closes };
}

function jsonInTag(tag: string): readonly CallForm[] {
  return json({ openers: [`<${tag}>`], strength: 'xml', closes: [`</${tag}>`] });
}

/** Tags with one spelling, with a wrapper around calls, and with a beginning of calls without it. */
function tags({ lead, closeLead, end }: Nesting, wrapper: string, alone?: string) {
  return {
    lead: [lead],
    closeLead: [closeLead],
    end,
    wrappers: [lead + wrapper + end],
    wrapperCloses: [closeLead + wrapper + end],
    ...(alone !== undefined && { alone: [lead + alone] }),
  };
}

/** The tokenizers of one family append a word to the name in each tag. */
function suffixed(tag: string): readonly string[] {
  return [tag, tag.replace(/>$/, ':opensource>')];
}

/** Models write the bars around a word in several ways. */
function barred(start: string, word: string): readonly string[] {
  return ['｜', '|', '｜｜', '||', '‖'].flatMap((bar) => [
    `${start}${bar}${word}${bar}`,
    `${start}${bar}${word}${bar} `,
  ]);
}

const asTokens = { strength: 'token', aloneStrength: 'token' } as const;
const xml = { lead: '<', closeLead: '</', end: '>' };
const xmlTags = { lead: ['<'], closeLead: ['</'], end: '>' };
const attribute = /^\S+\s+name\s*=\s*["']?(?<name>[^"'\s]+)["']?\s*$/;
const parameterAttribute =
  /^\S+\s+name\s*=\s*["']?(?<key>[^"']+?)["']?(?:\s+string\s*=\s*["']?(?<string>true|false)["']?)?\s*$/;

const think = reasoning(suffixed('<think>'), suffixed('</think>'));

const toolCallJson = jsonInTag('tool_call');
const toolCallsJson = jsonInTag('tool_calls');

const functionParts = {
  head: { tag: /^function=(?<name>[^\s>]+)$/, close: 'function' },
  parameter: { tag: /^parameter=(?<key>.+)$/, start: 'parameter=', close: 'parameter' },
  trim: true,
} as const;
const functionTags = tagged({ ...functionParts, ...tags(xml, 'tool_call', 'function=') });

const keyValueParts = {
  ...xmlTags,
  head: { body: true, separators: suffixed('<tool_sep>'), closes: suffixed('</tool_call>') },
  parameter: {
    key: suffixed('<arg_key>'),
    keyClose: suffixed('</arg_key>'),
    value: suffixed('<arg_value>'),
    close: suffixed('</arg_value>'),
  },
} as const;
const keyValueTags = tagged({ ...keyValueParts, wrappers: suffixed('<tool_call>'), wrapperCloses: [] });

function invokeTags(wrapper: string, prefix = ''): ReturnType<typeof tagged> {
  return tagged({
    ...tags(xml, wrapper, `${prefix}invoke `),
    head: { tag: attribute, close: `${prefix}invoke` },
    parameter: { tag: parameterAttribute, start: `${prefix}parameter `, close: `${prefix}parameter` },
  });
}

const weakJson = { strength: 'bare', weak: 'json', needsArguments: true } as const;
const bareJson = json({ ...weakJson, openers: ['[', '{'], keep: true, place: 'start', closes: [] });

/** Counts anywhere: a model that writes calls in code blocks also writes words before them. */
const fencedJson = json({
  ...weakJson,
  openers: ['```json', '```JSON', '```tool_call', '```tool_calls', '```'],
  closes: ['```'],
  opensFence: true,
});

const bareList = { openers: ['['], keep: true, strength: 'bare', place: 'start', weak: true } as const;
const barePythonic = pythonic({ ...bareList, list: true, closes: [] });

const pythonStart = pythonic({ openers: ['<|python_start|>'], list: false, closes: ['<|python_end|>'] });

const deepseekMarks = {
  sections: ['<｜tool▁calls▁begin｜>'],
  begins: ['<｜tool▁call▁begin｜>'],
  ends: ['<｜tool▁call▁end｜>'],
  sectionEnds: ['<｜tool▁calls▁end｜>'],
};
const deepseekFenced = header({
  ...deepseekMarks,
  head: ['function', '<｜tool▁sep｜>', name, maybe('```json'), maybe('```')],
});
const deepseekPlain = header({ ...deepseekMarks, head: [name, '<｜tool▁sep｜>', maybe('```json')] });

const dsmlLead = barred('<', 'DSML');
const dsmlCloseLead = barred('</', 'DSML');
const dsmlWords = ['function_calls>', 'tool_calls>', 'calls>'];
const dsml = tagged({
  lead: dsmlLead,
  closeLead: dsmlCloseLead,
  end: '>',
  wrappers: dsmlLead.flatMap((lead) => dsmlWords.map((word) => lead + word)),
  wrapperCloses: dsmlCloseLead.flatMap((lead) => dsmlWords.map((word) => lead + word)),
  alone: dsmlLead.map((lead) => `${lead}invoke`),
  ...asTokens,
  head: { tag: attribute, close: 'invoke' },
  parameter: { tag: parameterAttribute, start: 'parameter', close: 'parameter' },
});

const mistralList = json({ openers: ['[TOOL_CALLS]'], shortIds: true, closes: [], idKeys: ['id'] });
const mistralHeader = header({
  begins: ['[TOOL_CALLS]'],
  shortIds: true,
  head: [name, maybe('[CALL_ID]', id), maybe('[ARGS]')],
  ends: [],
});
const mistralThink = reasoning(['[THINK]'], ['[/THINK]']);

function headless(channel: string): readonly string[] {
  return [`<|channel|>${channel}`, `<|start|>assistant<|channel|>${channel}`];
}

const strippedHeaders = ['assistantfinal', 'assistantcommentary'];
const harmony: ChannelForm = {
  opens: ['<|channel|>', '<|start|>'],
  message: '<|message|>',
  closes: ['<|end|>', '<|return|>', '<|call|>', '<|eom|>', '<|eot|>'],
  selves: ['self'],
};

const messageStarts = ['commentary<|message|>', 'final<|message|>', '<|message|>'];
const commentaries = ['commentary to=assistant', 'commentary to=user', 'commentary'];

/** Incomplete headers: the provider removed some of their marks, or the model did not finish them. */
const harmonyRemains: readonly SpanForm[] = [
  { ...wrapper(strippedHeaders, strippedHeaders), weak: true },
  { ...reasoning(['analysis'], strippedHeaders), weak: true, isDoubtful: true },
  { ...reasoning(['analysis<|message|>'], harmony.closes), weak: true },
  { ...wrapper(messageStarts, harmony.closes), weak: true },
  { ...reasoning(headless('analysis'), harmony.closes), weak: true, anywhere: true },
  { ...wrapper(headless('final'), harmony.closes), weak: true, anywhere: true },
  { ...wrapper(commentaries.flatMap(headless), harmony.closes), isLast: true, anywhere: true },
];

const actionMarks = { openers: ['<|action_start|>'], marks: ['<|plugin|>'], closes: ['<|action_end|>'] };

/** All families. For a model's name, the first family whose `models` matches applies. */
export const families: readonly MarkupFamily[] = [
  {
    id: 'kimi_k3',
    models: /kimi-?k3/i,
    spans: [
      reasoning(['<|open|>think<|sep|>'], ['<|close|>think<|sep|>']),
      wrapper(['<|open|>response<|sep|>'], ['<|close|>response<|sep|>']),
    ],
    calls: tagged({
      ...tags({ lead: '<|open|>', closeLead: '<|close|>', end: '<|sep|>' }, 'tools', 'call '),
      ...asTokens,
      head: { tag: /^call\s+tool="(?<name>[^"]+)"/, close: 'call' },
      parameter: {
        tag: /^argument\s+key="(?<key>[^"]*)"(?:\s+type="(?<type>\w+)")?/,
        start: 'argument',
        close: 'argument',
      },
    }),
  },
  {
    id: 'kimi_k2',
    models: /kimi/i,
    spans: [think, reasoning(['◁think▷'], ['◁/think▷'])],
    calls: header({
      sections: ['<|tool_calls_section_begin|>', '<|tool_call_section_begin|>'],
      begins: ['<|tool_call_begin|>'],
      head: [numbered, '<|tool_call_argument_begin|>'],
      ends: ['<|tool_call_end|>'],
      sectionEnds: ['<|tool_calls_section_end|>', '<|tool_call_section_end|>'],
    }),
  },
  {
    id: 'harmony',
    models: /gpt-?oss/i,
    channels: { ...harmony, weakOpens: ['to='] },
    spans: harmonyRemains,
    calls: header({
      begins: ['to='],
      head: [name, maybe('json'), maybe('code')],
      ends: [],
      strength: 'bare',
      place: 'start',
      weak: true,
    }),
  },
  {
    id: 'muse_atem',
    models: /muse/i,
    channels: { ...harmony, weakOpens: ['to='] },
    calls: invokeTags('atem:function_calls', 'atem:'),
  },
  { id: 'deepseek_v4', models: /deepseek.*v4/i, spans: [think], calls: dsml, thinksFirst: true },
  { id: 'deepseek_v32', models: /deepseek.*v3\.2/i, spans: [think], calls: dsml, thinksFirst: true },
  {
    id: 'deepseek_v31',
    models: /deepseek.*v3\.1/i,
    spans: [think],
    calls: [...deepseekPlain, ...deepseekFenced],
    thinksFirst: true,
  },
  { id: 'deepseek_v3', models: /deepseek.*(v3|r1)/i, spans: [think], calls: [...deepseekFenced, ...deepseekPlain] },
  { id: 'glm47', models: /glm-?(4\.7|5)|ling-?3|poolside/i, spans: [think], calls: keyValueTags, thinksFirst: true },
  { id: 'glm45', models: /glm-?4\.[56]|\bring\b/i, spans: [think], calls: keyValueTags },
  { id: 'nemotron3', models: /nemotron-?3/i, spans: [think], calls: functionTags, thinksFirst: true },
  { id: 'nemotron_nano_v2', models: /nemotron/i, spans: [think], calls: jsonInTag('TOOLCALL'), thinksFirst: true },
  { id: 'step3p5', models: /step-?3\.5/i, spans: [think], calls: functionTags, thinksFirst: true },
  { id: 'qwen3_coder', models: /qwen3-coder|qwen3\.[5-9]|mimo-v2/i, spans: [think], calls: functionTags },
  { id: 'qwen3', models: /qwen|qwq/i, spans: [think], calls: toolCallJson },
  { id: 'granite4', models: /granite-?4/i, spans: [think], calls: toolCallJson },
  {
    id: 'granite3',
    models: /granite-?3/i,
    spans: [
      {
        ...reasoning(
          ['Here is my thought process:', "Here's my thought process:"],
          ['Here is my response:', "Here's my response:"],
        ),
        weak: true,
        isDoubtful: true,
      },
    ],
    calls: [...json({ openers: ['<|tool_call|>'], closes: [] }), ...toolCallJson],
  },
  { id: 'gemini', models: /gemini/i, spans: [reasoning(['<thought>'], ['</thought>'])] },
  { id: 'granite20b', models: /granite-20b/i, calls: jsonInTag('function_call') },
  { id: 'hermes', models: /hermes|exaone|reka|bielik|trinity|mimo/i, spans: [think], calls: toolCallJson },
  {
    id: 'minimax_m3',
    models: /minimax-?m3/i,
    spans: [reasoning(['<mm:think>'], ['</mm:think>'])],
    calls: tagged({
      ...tags({ lead: ']<]minimax[>[<', closeLead: ']<]minimax[>[</', end: '>' }, 'tool_call', 'invoke '),
      ...asTokens,
      head: { tag: attribute, close: 'invoke' },
      parameter: { tagIsName: true },
    }),
  },
  {
    id: 'minimax_m2',
    models: /minimax-?m2/i,
    spans: [think],
    calls: invokeTags('minimax:tool_call'),
    thinksFirst: true,
  },
  { id: 'minimax_m1', models: /minimax/i, spans: [think], calls: toolCallsJson },
  {
    id: 'seed_oss',
    models: /seed-?oss/i,
    spans: [reasoning(['<seed:think>'], ['</seed:think>'])],
    calls: tagged({ ...functionParts, ...tags(xml, 'seed:tool_call') }),
    thinksFirst: true,
  },
  {
    id: 'mistral_v11',
    models: /ministral-?3|magistral|devstral|mistral-small-3\.[2-9]/i,
    spans: [mistralThink, think],
    calls: [...mistralHeader, ...mistralList],
  },
  {
    id: 'mistral_v3',
    models: /mistral|mixtral|ministral/i,
    spans: [mistralThink],
    calls: [...mistralList, ...mistralHeader],
  },
  { id: 'llama4_pythonic', models: /llama-?4/i, calls: [...pythonStart, ...barePythonic] },
  { id: 'llama_pythonic', models: /llama-?3\.2|toolace/i, calls: [...barePythonic, ...pythonStart] },
  {
    id: 'llama3_json',
    models: /llama-?3/i,
    calls: [
      ...json({ openers: ['<|python_tag|>'], closes: [] }),
      ...pythonic({ openers: ['<|python_tag|>'], list: false, closes: [], suffix: '.call', stringsBySchema: true }),
      ...bareJson,
    ],
  },
  {
    id: 'functionary_v31',
    models: /functionary.*3\.1/i,
    calls: header({ begins: ['<function='], head: [name, '>'], ends: ['</function>'], strength: 'bare' }),
  },
  {
    id: 'functionary_v32',
    models: /functionary/i,
    spans: [{ ...wrapper(['all\n', '>>>all\n'], []), weak: true }],
    calls: [
      ...header({ begins: ['>>>'], head: [name], ends: [], strength: 'bare', weak: true }),
      ...header({ begins: [''], head: [name], ends: [], strength: 'bare', weak: true, place: 'start' }),
    ],
  },
  {
    id: 'command_a',
    models: /command-?a|r7b/i,
    spans: [
      reasoning(['<|START_THINKING|>'], ['<|END_THINKING|>']),
      wrapper(['<|START_RESPONSE|>'], ['<|END_RESPONSE|>']),
      wrapper(['<|START_TEXT|>'], ['<|END_TEXT|>']),
    ],
    calls: json({ openers: ['<|START_ACTION|>'], closes: ['<|END_ACTION|>'] }),
  },
  {
    id: 'command_r',
    models: /command-?r/i,
    calls: json({
      openers: ['Action:'],
      strength: 'bare',
      weak: true,
      fence: ['```json', '```'],
      closes: ['```'],
      noopNames: ['directly_answer', 'directly-answer'],
    }),
  },
  {
    id: 'functiongemma',
    models: /functiongemma/i,
    calls: brace({ begins: ['<start_function_call>'], quote: '<escape>', closes: ['<end_function_call>'] }),
  },
  {
    id: 'gemma4',
    models: /gemma-?4/i,
    spans: [reasoning(['<|channel>thought\n'], ['<channel|>'])],
    calls: brace({ begins: ['<|tool_call>'], quote: '<|"|>', closes: ['<tool_call|>'] }),
  },
  {
    id: 'hunyuan_a13b',
    models: /hunyuan-?a13b/i,
    spans: [think, { ...wrapper(['<answer>'], ['</answer>']), weak: true }],
    calls: toolCallsJson,
  },
  {
    id: 'hunyuan_v3',
    models: /hy3|hunyuan/i,
    spans: [think],
    calls: tagged({
      ...keyValueParts,
      wrappers: suffixed('<tool_calls>'),
      wrapperCloses: suffixed('</tool_calls>'),
      before: suffixed('<tool_call>'),
    }),
  },
  {
    id: 'step3',
    models: /step-?3/i,
    spans: [think],
    calls: tagged({
      ...xmlTags,
      wrappers: ['<｜tool_calls_begin｜>', '<｜tool_call_begin｜>'],
      wrapperCloses: ['<｜tool_call_end｜>', '<｜tool_calls_end｜>'],
      before: ['<｜tool_call_begin｜>', 'function', '<｜tool_sep｜>'],
      alone: ['<steptml:invoke '],
      ...asTokens,
      head: { tag: attribute, close: 'steptml:invoke' },
      parameter: { tag: parameterAttribute, start: 'steptml:parameter ', close: 'steptml:parameter' },
    }),
    thinksFirst: true,
  },
  {
    id: 'longcat',
    models: /longcat/i,
    spans: [reasoning(['<longcat_think>'], ['</longcat_think>'])],
    calls: jsonInTag('longcat_tool_call'),
  },
  {
    id: 'ernie45',
    models: /ernie/i,
    spans: [think, { ...wrapper(['<response>'], ['</response>']), weak: true }],
    calls: toolCallJson,
    thinksFirst: true,
  },
  {
    id: 'lfm2',
    models: /lfm-?2/i,
    spans: [think],
    calls: pythonic({ openers: ['<|tool_call_start|>'], list: false, closes: ['<|tool_call_end|>'] }),
  },
  {
    id: 'olmo3',
    models: /olmo-?3/i,
    spans: [think],
    calls: pythonic({ openers: ['<function_calls>'], strength: 'xml', list: false, closes: ['</function_calls>'] }),
  },
  {
    id: 'phi4_mini',
    models: /phi-?4-?mini|firefunction/i,
    calls: json({ openers: ['functools'], strength: 'bare', place: 'start', closes: [] }),
  },
  { id: 'jamba', models: /jamba/i, calls: toolCallsJson },
  {
    id: 'apriel',
    models: /apriel/i,
    spans: [{ ...reasoning(['Here are my reasoning steps:'], ['[BEGIN FINAL RESPONSE]']), opens: [], weak: true }],
    calls: toolCallsJson,
    thinksFirst: true,
  },
  {
    id: 'apertus',
    models: /apertus/i,
    spans: [reasoning(['<|inner_prefix|>'], ['<|inner_suffix|>'])],
    calls: json({ openers: ['<|tools_prefix|>'], closes: ['<|tools_suffix|>'], nameAsKey: true }),
  },
  { id: 'xlam', models: /xlam/i, spans: [think], calls: [...bareJson, ...fencedJson] },
  {
    id: 'gigachat3',
    models: /gigachat/i,
    calls: [
      ...json({
        openers: ['<|message_sep|>'],
        marks: ['function', 'call', '<|role_sep|>'],
        closes: ['<|message_sep|>'],
      }),
      ...json({ openers: ['<|function_call|>'], closes: [] }),
    ],
  },
  {
    id: 'inkling',
    models: /inkling/i,
    spans: [
      reasoning(['<|message_model|><|content_thinking|>', '<|content_thinking|>'], ['<|end_message|>']),
      wrapper(['<|message_model|><|content_text|>', '<|content_text|>'], ['<|end_message|>']),
    ],
    calls: json({
      openers: ['<|message_model|><|content_invoke_tool_json|>', '<|content_invoke_tool_json|>'],
      closes: ['<|end_message|>'],
    }),
  },
  {
    id: 'hyperclovax_seed',
    models: /hyperclovax/i,
    calls: json({ openers: ['-> tool/function_call'], strength: 'bare', weak: true, closes: [] }),
  },
  { id: 'internlm2', models: /internlm/i, calls: json(actionMarks) },
  { id: 'interns1', models: /intern-?s1/i, spans: [think], calls: json(actionMarks) },
  {
    id: 'minicpm5',
    models: /minicpm-?5/i,
    spans: [think],
    calls: tagged({
      ...xmlTags,
      wrappers: [],
      wrapperCloses: [],
      alone: ['<function '],
      head: { tag: attribute, close: 'function' },
      parameter: { tag: parameterAttribute, start: 'param ', close: 'param' },
    }),
  },
  {
    id: 'dots',
    models: /\bdots/i,
    spans: [think],
    calls: [...invokeTags('dots_function_call'), ...jsonInTag('dots_function_call')],
  },
  {
    id: 'solar_open',
    models: /solar-?open/i,
    spans: [
      reasoning(['<|begin|>assistant<|think|>', '<|think|>'], ['<|end|>']),
      wrapper(['<|begin|>assistant<|content|>', '<|content|>'], ['<|end|>']),
    ],
    calls: header({
      sections: ['<|tool_calls|>', '<|begin|>assistant<|tool_calls|>'],
      begins: ['<|tool_call:begin|>'],
      head: [id, '<|tool_call:name|>', name, '<|tool_call:args|>'],
      ends: ['<|tool_call:end|>'],
      sectionEnds: ['<|calls|>'],
    }),
  },
];
