import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import { CheckIcon, ViewIcon } from '../icons.tsx';
import { usePageText } from '../text/page-text.ts';
import type { Column } from './data-table.tsx';
import { isWanted, type TableView, useDensity } from './table-view.ts';
import { texts } from './table-texts.ts';

interface ViewMenuProps<Row> {
  /** The view of the table and its columns, if the user can choose them. */
  readonly view?: TableView;
  readonly columns?: readonly Column<Row>[];
}

/** The height of the rows in all tables, and the columns of this one. */
export function ViewMenu<Row>({ view, columns = [] }: ViewMenuProps<Row>) {
  const p = usePageText(texts);
  const [density, setDensity] = useDensity();
  const choosable = columns.filter(({ choice }) => choice !== undefined);
  const isShown = (column: Column<Row>) => isWanted(column, view) && !view?.leftOut.includes(column.key);
  return (
    <Menu position="bottom-end" width={240} closeOnItemClick={false}>
      <Tooltip label={p('view')}>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={p('view')} visibleFrom="sm">
            <ViewIcon />
          </ActionIcon>
        </Menu.Target>
      </Tooltip>
      <Menu.Dropdown>
        <Menu.Label>{p('rowHeight')}</Menu.Label>
        {(['compact', 'comfortable'] as const).map((each) => (
          <Choice key={each} role="menuitemradio" isOn={density === each} choose={() => setDensity(each)}>
            {p(each)}
          </Choice>
        ))}
        {view && choosable.length > 0 && (
          <>
            <Menu.Divider />
            <Menu.Label>{p('columns')}</Menu.Label>
            {choosable.map((column) => (
              <Choice
                key={column.key}
                role="menuitemcheckbox"
                isOn={isShown(column)}
                choose={() => view.choose(column.key, !isShown(column))}
              >
                {view.leftOut.includes(column.key) ? p('noRoom', { name: column.header }) : column.header}
              </Choice>
            ))}
            <Menu.Divider />
            <Menu.Item onClick={view.reset}>{p('resetColumns')}</Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

interface ChoiceProps {
  readonly role: 'menuitemradio' | 'menuitemcheckbox';
  readonly isOn: boolean;
  readonly choose: () => void;
  readonly children: string;
}

function Choice({ role, isOn, choose, children }: ChoiceProps) {
  return (
    <Menu.Item
      role={role}
      aria-checked={isOn}
      leftSection={<span style={{ visibility: isOn ? 'visible' : 'hidden' }}>{<CheckIcon size={16} />}</span>}
      onClick={choose}
    >
      {children}
    </Menu.Item>
  );
}
