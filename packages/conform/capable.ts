import { type ChatStream, chatStream } from './chat-stream.ts';
import type { Context, Fields } from './context.ts';

/** The first candidate whose answer to these fields shows a capability; `undefined` if there is none. */
export async function firstCapable(
  context: Context,
  fields: Fields,
  shows: (stream: ChatStream) => boolean,
): Promise<{ readonly model: string; readonly stream: ChatStream } | undefined> {
  for (const model of context.candidates) {
    const reply = await context.post({ ...fields, model });
    if (reply.status !== 200) continue;
    const stream = chatStream(reply);
    if (shows(stream)) return { model, stream };
  }
  return undefined;
}
