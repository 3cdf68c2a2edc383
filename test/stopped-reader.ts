import { RawClient } from './raw-client.ts';

interface StoppedRequest {
  readonly port: number;
  readonly key: string;
  readonly model: string;
}

/** A client that reads the beginning of its answer, and then stops reading without a disconnect. */
export async function stoppedReader({ port, key, model }: StoppedRequest): Promise<RawClient> {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'x' }] });
  const client = await RawClient.connect(port);
  client.send(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await client.received('data: ');
  client.socket.pause();
  return client;
}
