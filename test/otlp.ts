import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ReceivedSpan } from './services/otlp-spans.ts';

/** A real trace collector, in its own process. */
export interface OtlpReceiver {
  /** Base URL. Requests to `/hang` below it get no answer, and requests to `/refuse` are rejected. */
  readonly url: string;
  spans(): Promise<readonly ReceivedSpan[]>;
  /** The number of export attempts. */
  tries(): Promise<number>;
  stop(): Promise<void>;
}

export async function otlpReceiver(): Promise<OtlpReceiver> {
  const file = join(import.meta.dirname, 'services/otlp-receiver.ts');
  const child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  const url = `http://127.0.0.1:${String(port).trim()}`;
  const state = async () =>
    (await (await fetch(`${url}/spans`)).json()) as { spans: readonly ReceivedSpan[]; tries: number };
  return {
    url,
    spans: async () => (await state()).spans,
    tries: async () => (await state()).tries,
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
}
