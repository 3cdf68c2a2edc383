import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chatAnswer, chatScene } from './speak-chat.ts';
import { messagesAnswer, messagesScene } from './speak-messages.ts';
import { responsesAnswer, responsesScene } from './speak-responses.ts';
import { type Move, nextMove, type Task } from './scripted-model.ts';

/** A provider of all three wire formats. Its model follows a script. */
export interface ScriptedProvider {
  /** Base address, ending in `/v1`. */
  readonly url: string;
  /** The moves of the model since `begin`, in order. */
  readonly moves: readonly Move[];
  begin(task: Task): void;
  close(): void;
}

export async function scriptedProvider(): Promise<ScriptedProvider> {
  let task: Task = { question: '', answer: '' };
  let moves: Move[] = [];
  const server = createServer((request, response) => {
    void serve(request, response, (scene) => {
      const move = nextMove(scene, task);
      moves.push(move);
      return move;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    get moves() {
      return moves;
    },
    begin(next) {
      task = next;
      moves = [];
    },
    close: () => server.close(),
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  decide: (scene: ReturnType<typeof chatScene>) => Move,
): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const body = JSON.parse(Buffer.concat(pieces).toString('utf8')) as Record<string, unknown>;
  if (request.url?.includes('count_tokens')) return json(response, { input_tokens: 100 });
  const { scene, answer } = speechAt(request.url ?? '');
  const { stream, json: complete } = answer(decide(scene(body)));
  if (body['stream'] !== true) return json(response, complete);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(stream);
}

function speechAt(path: string) {
  if (path.includes('/messages')) return { scene: messagesScene, answer: messagesAnswer };
  if (path.includes('/responses')) return { scene: responsesScene, answer: responsesAnswer };
  return { scene: chatScene, answer: chatAnswer };
}

function json(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}
