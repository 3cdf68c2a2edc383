import type { Model } from 'chat-formats/chat/model.ts';
import type { Route } from '../http/route.ts';
import { bearerSecret, callerOf } from './caller.ts';
import type { SurfaceParts } from './conversation.ts';

/** The contract gives every model the same placeholder instead of a release date. */
const createdPlaceholder = 1626777600;

/** `GET /v1/models` and `GET /v1/models/{id or alias}`: the models that this key can call here, on any surface. */
export function models(parts: SurfaceParts): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/v1/models',
      handle: async (exchange) => {
        const caller = await callerOf(parts, exchange, bearerSecret);
        const visible = parts.inference.current().catalog.visible(caller);
        const list = { object: 'list', data: visible.map(encodeModel), success: true };
        // Codex expects its own list and identifies itself by sending `client_version`.
        const isAgent = exchange.query.has('client_version');
        exchange.json(200, isAgent ? { ...list, models: agentModels(visible) } : list);
      },
    },
    {
      method: 'GET',
      path: '/v1/models/*model',
      handle: async (exchange, { model = '' }) => {
        const caller = await callerOf(parts, exchange, bearerSecret);
        exchange.json(200, encodeModel(parts.inference.current().catalog.require(caller, model)));
      },
    },
  ];
}

function encodeModel(model: Model) {
  return {
    id: model.id,
    object: 'model',
    created: createdPlaceholder,
    owned_by: model.ownedBy,
    // A model without a conversational surface is listed with its pass-through endpoints.
    supported_endpoint_types: model.surfaces.length > 0 ? model.surfaces : (model.endpoints ?? []),
  };
}

/** How many tokens of a command's output the agent keeps. */
const outputTokensMax = 10_000;

/** The catalog in the format of Codex. Each entry is complete, because Codex warns about missing fields. */
function agentModels(models: readonly Model[]): readonly object[] {
  return models.filter(({ surfaces }) => surfaces.includes('openai-response')).map(agentModel);
}

function agentModel(model: Model, priority: number): object {
  const { id, description = null, thinking, contextWindow } = model;
  return {
    slug: id,
    display_name: id,
    description,
    default_reasoning_level: thinking ? 'high' : null,
    supported_reasoning_levels: thinking ? reasoningLevels : [],
    shell_type: 'unified_exec',
    visibility: 'list',
    supported_in_api: true,
    priority,
    availability_nux: null,
    upgrade: null,
    base_instructions: instructions,
    supports_reasoning_summaries: thinking,
    supports_reasoning_summary_parameter: thinking,
    default_reasoning_summary: 'auto',
    support_verbosity: false,
    default_verbosity: null,
    apply_patch_tool_type: null,
    truncation_policy: { mode: 'tokens', limit: outputTokensMax },
    supports_parallel_tool_calls: true,
    supports_search_tool: false,
    use_responses_lite: false,
    ...(contextWindow !== undefined && { context_window: contextWindow, max_context_window: contextWindow }),
    effective_context_window_percent: 95,
    input_modalities: ['text', 'image'],
    experimental_supported_tools: [],
  };
}

const reasoningLevels = [
  { effort: 'high', description: 'Thinks before it answers' },
  { effort: 'xhigh', description: 'Thinks for as long as it takes' },
];

/** Without these instructions the agent would run with none. */
const instructions = `You are a coding agent that works in a terminal, in the user's own folder, together with the user.

# How you work
- Read before you write: look at the files, the tests and the conventions that are there, and follow them. Search with \`rg\` where it exists.
- Do what was asked, all of it and nothing else. Fix the cause, not the symptom. Keep changes small.
- Go on until the task is done. Ask only when you cannot find out by yourself and a wrong guess would cost much.
- Use the tools you are given; never invent their results. Run commands with the shell tool and say where with its working directory.
- Change files with short, exact edits. In a shell, write files with a quoted heredoc, and read back what you wrote.
- Check your work: run the tests, the type checker or the program, whichever checks most. If you could not, say so.
- Never undo changes that you did not make. No destructive commands (\`git reset --hard\`, \`rm -rf\` outside of what you made) unless the user asks for them. Do not commit unless asked.
- For longer work keep a short plan with the plan tool, if there is one, and keep it up to date.

# How you speak
- Before a group of commands, say in one short sentence what you are about to do.
- At the end say what you changed, where (files with lines), how you checked it, and what is left. Be brief, plain and honest; no praise, no filler.
- Put commands, paths and names in \`backticks\`. Repeat output that the user did not see only as far as it matters.
`;
