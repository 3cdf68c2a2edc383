import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ReceivedSpan } from './services/otlp-spans.ts';

/** A real receiver of traces, in a process of its own. */
export interface OtlpReceiver {
  /** Base address. With `/hang` behind it nobody answers, with `/refuse` nothing is taken. */
  readonly url: string;
  spans(): Promise<readonly ReceivedSpan[]>;
  /** How often somebody tried to send it something. */
  tries(): Promise<number>;
  stop(): Promise<void>;
}

export async function otlpReceiver(): Promise<OtlpReceiver> {
  const file = join(import.meta.dirname, 'services/otlp-receiver.ts');
  const child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  const url = `http://127.0.0.1:${String(port).trim()}`;
  const shown = async () =>
    (await (await fetch(`${url}/spans`)).json()) as { spans: readonly ReceivedSpan[]; tries: number };
  return {
    url,
    spans: async () => (await shown()).spans,
    tries: async () => (await shown()).tries,
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
}
