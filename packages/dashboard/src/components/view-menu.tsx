import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import { ViewIcon } from '../icons.tsx';
import { usePageText } from '../text/page-text.ts';
import type { Column } from './table-column.ts';
import { type Density, isWanted, type TableView, useDensity } from './table-view.ts';
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
    <Menu position="bottom-end" width={240}>
      <Tooltip label={p('view')}>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={p('view')} visibleFrom="sm">
            <ViewIcon />
          </ActionIcon>
        </Menu.Target>
      </Tooltip>
      <Menu.Dropdown>
        <Menu.Label>{p('rowHeight')}</Menu.Label>
        <Menu.RadioGroup value={density} onChange={(chosen) => setDensity(chosen as Density)}>
          <Menu.RadioItem value="compact">{p('compact')}</Menu.RadioItem>
          <Menu.RadioItem value="comfortable">{p('comfortable')}</Menu.RadioItem>
        </Menu.RadioGroup>
        {view && choosable.length > 0 && (
          <>
            <Menu.Divider />
            <Menu.Label>{p('columns')}</Menu.Label>
            {choosable.map((column) => (
              <Menu.CheckboxItem
                key={column.key}
                checked={isShown(column)}
                onChange={(isChecked) => view.choose(column.key, isChecked)}
              >
                {view.leftOut.includes(column.key) ? p('noRoom', { name: column.header }) : column.header}
              </Menu.CheckboxItem>
            ))}
            <Menu.Divider />
            <Menu.Item onClick={view.reset}>{p('resetColumns')}</Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
