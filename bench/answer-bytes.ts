import type { Workload } from './workload.ts';

/** Microseconds on a clock that all processes of this machine share. */
export function sharedClockMicros(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e6 + nanoseconds / 1e3;
}

/** Digits of a stamp. `@` precedes it and occurs nowhere else in an answer. */
export const stampDigits = 16;

/** One content frame of about 200 bytes. The first one contains the role, as with providers. */
export function contentFrame(workload: Workload, position: number, text = fillerText): string {
  const role = position === 0 ? '"role":"assistant",' : '';
  return frame(workload, `{"index":0,"delta":{${role}"content":"${text}"},"logprobs":null,"finish_reason":null}`, '');
}

/** The same frame with the time of its writing. */
export function stampedFrame(workload: Workload, position: number): string {
  const stamp = Math.floor(sharedClockMicros()).toString().padStart(stampDigits, '0');
  return contentFrame(workload, position, `@${stamp}`);
}

/** The frames after the last content: finish, usage, end mark. */
export function closingFrames(workload: Workload): string {
  const finish = frame(workload, '{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}', '');
  const usage = frame(workload, '', ',"usage":{"prompt_tokens":42,"completion_tokens":60,"total_tokens":102}');
  return `${finish}${usage}data: [DONE]\n\n`;
}

export const answerHead =
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nCache-Control: no-cache\r\n' +
  'Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n';

export const answerEnd = '0\r\n\r\n';

/** The text as one chunk of the transfer encoding. All text here is ASCII. */
export function httpChunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

const fillerText = ' lorem ipsum dolor';

function frame(workload: Workload, choice: string, usage: string): string {
  const opening = `{"id":"chatcmpl-benchmark-000001","object":"chat.completion.chunk","created":1760000000`;
  return `data: ${opening},"model":"${workload}","choices":[${choice}]${usage}}\n\n`;
}
