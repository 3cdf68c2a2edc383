import type { ReactNode } from 'react';
import type { Key } from '../../api/wire.ts';
import type { Pages } from '../../api/queries.ts';
import { CodeBlock, type Snippet } from '../../components/code-block.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ClearFilters } from '../../components/filter-bar.tsx';
import { texts as tableTexts } from '../../components/table-texts.ts';
import type { TableView } from '../../components/table-view.ts';
import { KeyIcon, SearchIcon } from '../../icons.tsx';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';
import type { KeyScope } from './key-scope.ts';
import { useKeySelection } from './key-selection.ts';
import { texts } from './texts.ts';

export interface KeyTableProps {
  readonly scope: KeyScope;
  readonly pages: Pages<Key>;
  readonly withEnded: boolean;
  /** No key matches the search. */
  readonly isNoneFound?: boolean;
  readonly mayWrite: boolean;
  readonly view: TableView;
  readonly columns: readonly Column<Key>[];
  /** The button that creates a key. */
  readonly create: ReactNode;
}

export function KeyTable({ scope, pages, withEnded, isNoneFound, mayWrite, view, columns, create }: KeyTableProps) {
  const { t } = useText();
  const p = usePageText({ ...tableTexts, ...texts });
  const selection = useKeySelection(scope, mayWrite);
  const shown = shownKeys(pages, withEnded);
  return (
    <DataTable
      label={t('nav.keys')}
      columns={columns}
      view={view}
      selection={selection}
      pages={{ ...pages, rows: shown }}
      rowKey={({ id }) => id}
      empty={
        isNoneFound ? (
          <EmptyState
            icon={<SearchIcon size={22} />}
            title={p('notFound')}
            text={t('accounts.nothingFoundText')}
            action={<ClearFilters names={['q']} />}
          />
        ) : (
          <EmptyState
            icon={<KeyIcon size={22} />}
            title={t(pages.rows?.length ? 'keys.noneActiveTitle' : 'keys.emptyTitle')}
            text={t('keys.emptyText')}
            action={create}
            code={scope.accountId !== undefined && <CodeBlock snippets={[commandOf(scope.accountId, p('terminal'))]} />}
          />
        )
      }
    />
  );
}

/** The rows of the table. While it is empty, the table has the button that creates a key. */
export function shownKeys({ rows }: Pages<Key>, withEnded: boolean): readonly Key[] | undefined {
  return withEnded ? rows : rows?.filter(({ state }) => state === 'active');
}

function commandOf(accountId: string, name: string): Snippet {
  return { name, code: `chat-gateway keys create --account ${accountId} --name laptop` };
}
