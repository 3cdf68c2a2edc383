import { createServer, type ServerResponse } from 'node:http';

/** A provider with faults: most answers are complete, some are late, some break off, some never come. */
export async function soakProvider(random: () => number): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => void reply(response, random));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { url: `http://127.0.0.1:${address.port}/v1`, close: () => (server.closeAllConnections(), server.close()) };
}

async function reply(response: ServerResponse, random: () => number): Promise<void> {
  const luck = random();
  response.on('error', () => undefined);
  if (luck < 0.03) return void response.socket?.destroy();
  if (luck < 0.06) return void response.writeHead(500).end('{"error":{"message":"no"}}');
  if (luck < 0.07) return;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const words = luck < 0.12 ? 2000 : 20 + Math.floor(random() * 60);
  const text = luck < 0.12 ? 'x'.repeat(2000) : ' word';
  for (let count = 0; count < words && !response.destroyed; count += 1) {
    if (luck > 0.95 && count === 10) return void response.destroy();
    const isFlowing = response.write(frame({ content: text }));
    if (!isFlowing) await flowing(response);
    if (luck >= 0.12 && count % 4 === 0) await new Promise((go) => setTimeout(go, random() * 40));
  }
  response.end(`${frame({}, 'stop')}data: [DONE]\n\n`);
}

/** Settles when the reader has caught up or disconnected. */
function flowing(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const goOn = (): void => {
      response.off('drain', goOn).off('close', goOn);
      resolve();
    };
    response.on('drain', goOn).on('close', goOn);
  });
}

function frame(delta: object, finish: string | null = null): string {
  const chunk = { id: 'soak', object: 'chat.completion.chunk', created: 1, model: 'soak' };
  return `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
}
