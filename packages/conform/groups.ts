import type { Group } from './check.ts';
import { authentication } from './checks/authentication.ts';
import { balance } from './checks/balance.ts';
import { completions } from './checks/completions.ts';
import { errors } from './checks/errors.ts';
import { everyAnswer } from './checks/every-answer.ts';
import { fields } from './checks/fields.ts';
import { generation } from './checks/generation.ts';
import { headers } from './checks/headers.ts';
import { http } from './checks/http.ts';
import { limits } from './checks/limits.ts';
import { logprobs } from './checks/logprobs.ts';
import { messageShapes } from './checks/message-shapes.ts';
import { messagesSurface } from './checks/messages-surface.ts';
import { models } from './checks/models.ts';
import { names } from './checks/names.ts';
import { never429 } from './checks/never-429.ts';
import { responsesSurface } from './checks/responses-surface.ts';
import { streamShape } from './checks/stream-shape.ts';
import { thinking } from './checks/thinking.ts';
import { toolCalling } from './checks/tools.ts';
import { usage } from './checks/usage.ts';

/** All groups in the order they run. The last two check every reply of the run, so they must stay last. */
export const groups: readonly Group[] = [
  models,
  names,
  authentication,
  errors,
  http,
  headers,
  streamShape,
  usage,
  fields,
  limits,
  messageShapes,
  generation,
  toolCalling,
  thinking,
  logprobs,
  completions,
  balance,
  messagesSurface,
  responsesSurface,
  never429,
  everyAnswer,
];
