import { Tabs } from '@mantine/core';
import { useState } from 'react';
import { recall, remember } from '../remembered.ts';
import { useText } from '../text/text.tsx';
import classes from './code-block.module.css';
import { CopyButton } from './copy-field.tsx';

export interface Snippet {
  readonly name: string;
  readonly code: string;
}

export interface CodeBlockProps {
  /** One tab per snippet. A single snippet shows no tabs. */
  readonly snippets: readonly Snippet[];
  /** The storage name of the chosen tab. Blocks with the same name share the choice. */
  readonly remembered?: string;
}

/** Code to copy, one tab per language. */
export function CodeBlock({ snippets, remembered }: CodeBlockProps) {
  const { t } = useText();
  const first = snippets[0]?.name ?? '';
  const [chosen, setChosen] = useState(() => (remembered && recall(remembered)) || first);
  const shown = snippets.find(({ name }) => name === chosen) ?? snippets[0];
  if (!shown) return null;
  const choose = (name: string | null) => {
    if (name === null) return;
    setChosen(name);
    if (remembered) remember(remembered, name);
  };
  return (
    <div className={classes['block']}>
      <Tabs value={shown.name} onChange={choose} variant="unstyled" classNames={{ tab: classes['tab'] ?? '' }}>
        <div className={classes['head']}>
          {snippets.length > 1 ? (
            <Tabs.List className={classes['tabs']}>
              {snippets.map(({ name }) => (
                <Tabs.Tab key={name} value={name}>
                  {name}
                </Tabs.Tab>
              ))}
            </Tabs.List>
          ) : (
            <span className={classes['name']}>{shown.name}</span>
          )}
          <CopyButton text={shown.code} label={t('common.copyCode')} />
        </div>
        {snippets.map(({ name, code }) => (
          <Tabs.Panel key={name} value={name}>
            <pre className={classes['code']} tabIndex={0}>
              <code>{code}</code>
            </pre>
          </Tabs.Panel>
        ))}
      </Tabs>
    </div>
  );
}
