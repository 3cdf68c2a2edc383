import { check, group } from '../check.ts';
import type { ReceivedReply } from '../client.ts';
import type { Context } from '../context.ts';
import { at, isText, listAt, parsed } from '../json.ts';
import { expectThat, skip } from '../outcome.ts';
import { expectError } from '../refusal.ts';
import { describe, show } from '../wording.ts';

const path = '/v1/user/balance';
const amounts = ['total_balance', 'granted_balance', 'topped_up_balance'];

export const balance = group('balance', 'GET /v1/user/balance', [
  check('available', 'The balance has is_available', async (context) => {
    const reply = await getBalance(context);
    const available = at(parsed(reply.text), 'is_available');
    expectThat(
      reply.status === 200 && typeof available === 'boolean',
      '200 with a boolean is_available',
      describe(reply),
    );
  }),
  check(
    'amounts',
    'Every currency has its total, granted and topped-up amounts as decimal strings',
    async (context) => {
      const reply = await getBalance(context);
      const infos = listAt(parsed(reply.text), 'balance_infos');
      expectThat(infos.length > 0, 'balance_infos to be a list of at least one', describe(reply));
      for (const info of infos) {
        expectThat(isText(at(info, 'currency')), 'currency to be a word', show(info));
        const invalid = amounts.filter((amount) => !/^-?\d+(\.\d+)?$/.test(String(decimal(info, amount))));
        expectThat(invalid.length === 0, 'amounts as decimal strings', `${invalid.join(', ')} in ${show(info)}`);
      }
    },
  ),
  check('key', 'A request without a key is rejected with 401', async ({ send }) => {
    const reply = await send({ method: 'GET', path, headers: {} });
    if (reply.status === 404) skip('this deployment has no balance endpoint');
    expectError(reply, 401, 'invalid_api_key', 'authentication_error');
  }),
]);

async function getBalance({ send }: Context): Promise<ReceivedReply> {
  const reply = await send({ method: 'GET', path });
  return reply.status === 404 ? skip('this deployment has no balance endpoint') : reply;
}

function decimal(info: unknown, amount: string): unknown {
  const value = at(info, amount);
  return typeof value === 'string' ? value : undefined;
}
