import { check, group } from '../check.ts';
import { chatStream, type ChatStream } from '../chat-stream.ts';
import { at } from '../json.ts';
import { expectThat, skip } from '../outcome.ts';
import { show } from '../wording.ts';

const datedId = /^(?<stem>.+)[-@](\d{4}-\d{2}-\d{2}|\d{8}|\d{6}|\d{4})$/;
const triedMax = 3;

export const names = group('names', 'Names of models', [
  check(
    'catalog-id',
    'Chunks contain the catalog id of the model that answered',
    async ({ candidates, catalog, chat }) => {
      const [requested = ''] = candidates;
      const model = modelOf(await chat({ stream: true }));
      if (catalog.ids.includes(requested)) expectThat(model === requested, `model ${show(requested)}`, show(model));
      else expectThat(catalog.ids.includes(model as string), 'a model id that the catalog lists', show(model));
    },
  ),
  check('alias', 'An undated alias is answered under the dated id', async ({ catalog, post }) => {
    const aliases = [...new Set(catalog.ids.map(stemOf))].filter(
      (alias) => alias !== '' && !catalog.ids.includes(alias),
    );
    if (aliases.length === 0) skip('the catalog lists no dated id to guess an alias from');
    for (const alias of aliases.slice(0, triedMax)) {
      const reply = await post({ model: alias });
      if (reply.status !== 200) continue;
      const dated = catalog.ids.filter((id) => stemOf(id) === alias);
      const model = modelOf(chatStream(reply));
      expectThat(
        dated.includes(model as string),
        `"${alias}" to be answered by ${dated.join(' or ')}`,
        `model ${show(model)}`,
      );
      return;
    }
    skip(`no undated alias is accepted (tried ${aliases.slice(0, triedMax).join(', ')})`);
  }),
]);

function stemOf(id: string): string {
  return datedId.exec(id)?.groups?.stem ?? '';
}

function modelOf(stream: ChatStream): unknown {
  return at(stream.chunks[0], 'model');
}
