import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fieldsThatCost, type SpendingFormat } from '../../packages/formats/src/fields-that-cost.ts';
import { newFields } from './new-fields.ts';
import { fieldsOfType } from './request-fields.ts';

interface SdkRequest {
  readonly name: string;
  readonly version: string;
  /** The fields that the table lacks. */
  readonly unknown: readonly string[];
}

const requests: readonly {
  readonly sdk: string;
  readonly file: string;
  readonly type: string;
  readonly format: SpendingFormat;
}[] = [
  { sdk: '@anthropic-ai/sdk', file: 'beta/messages/messages', type: 'MessageCreateParamsBase', format: 'messages' },
  { sdk: 'openai', file: 'responses/responses', type: 'ResponseCreateParamsBase', format: 'responses' },
  { sdk: 'openai', file: 'beta/responses/responses', type: 'ResponseCreateParamsBase', format: 'responses' },
  {
    sdk: 'openai',
    file: 'chat/completions/completions',
    type: 'ChatCompletionCreateParamsBase',
    format: 'chat-completions',
  },
];

/** The requests of the installed client libraries. */
export function sdkRequests(modules = join(import.meta.dirname, '../../node_modules')): readonly SdkRequest[] {
  return requests.map(({ sdk, file, type, format }) => {
    const { version } = JSON.parse(readFileSync(join(modules, sdk, 'package.json'), 'utf8')) as { version: string };
    const fields = fieldsOfType(join(modules, sdk, `resources/${file}.d.ts`), type);
    return { name: `${sdk} ${type}`, version, unknown: newFields(fields, fieldsThatCost[format]) };
  });
}
