import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { chunk, finish, usage } from '../fakes/fake-replies.ts';
import { journalWriter } from './journal.ts';
import { type AnswerPlan, answerPlan } from './plan.ts';

// A provider in its own process, so that its journal outlives every gateway: `node journal-provider.ts SEED FILE`.
// It prints its port, and answers each request by the plan for the tag in the last message.
const [seed, file] = process.argv.slice(2);
const record = journalWriter(file!);
let calls = 0;

const server = createServer((request, response) => void serve(request, response));
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
// Exits when the driver, which holds the other end of the pipe, has ended.
process.stdin.resume().on('end', () => process.exit(0));

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = JSON.parse(await text(request)) as { messages: { content: string }[] };
  const tag = body.messages.at(-1)!.content;
  const plan = answerPlan(Number(seed), tag);
  const call = calls++;
  record({ event: 'called', call, tag });
  const delivered = await deliver(plan, response);
  record({ event: 'ended', call, tag, promptTokens: delivered.isBilled ? plan.promptTokens : 0, ...delivered.output });
}

async function deliver(plan: AnswerPlan, response: ServerResponse) {
  const output = { completionTokens: 0, isComplete: false, hasReportedUsage: false };
  if (plan.kind === 'resets') response.socket!.resetAndDestroy();
  if (plan.kind === 'refuses') response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":{}}');
  if (plan.kind === 'resets' || plan.kind === 'refuses') return { isBilled: false, output };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (; output.completionTokens < plan.completionTokens; output.completionTokens += 1) {
    if (response.destroyed) return { isBilled: true, output };
    if (plan.kind === 'breaks-off' && output.completionTokens === plan.brokenAfter) break;
    // One token in every tokenizer, so that the gateway's count matches the provider's.
    await send(response, chunk({ content: ' word' }));
    if (plan.pauseMs > 0) await delay(plan.pauseMs);
  }
  if (plan.kind === 'breaks-off') {
    response.socket?.destroy();
    return { isBilled: true, output };
  }
  await send(response, finish('stop'));
  if (plan.kind === 'answers') await send(response, usage(plan.promptTokens, plan.completionTokens));
  response.end('data: [DONE]\n\n');
  return { isBilled: true, output: { ...output, isComplete: true, hasReportedUsage: plan.kind === 'answers' } };
}

async function send(response: ServerResponse, event: object): Promise<void> {
  if (response.write(`data: ${JSON.stringify(event)}\n\n`) || response.destroyed) return;
  await Promise.race([once(response, 'drain'), once(response, 'close')]).catch(() => undefined);
}
