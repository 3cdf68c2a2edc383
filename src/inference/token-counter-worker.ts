import { parentPort } from 'node:worker_threads';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

parentPort?.on('message', ({ id, texts }: { id: number; texts: readonly string[] }) => {
  const counts = texts.map((text) => countTokens(text, { allowedSpecial: 'all' }));
  parentPort?.postMessage({ id, counts });
});
