import { useState } from 'react';
import { recall, remember } from '../remembered.ts';
import { useText } from '../text/text.tsx';
import classes from './code-block.module.css';
import { CopyButton } from './copy-field.tsx';

export interface Snippet {
  /** The client or tool. */
  readonly name: string;
  /** The language or API, if the client has several. */
  readonly variant?: string;
  readonly code: string;
}

export interface CodeBlockProps {
  /** One choice per client, and one per variant of it. A single snippet shows no choices. */
  readonly snippets: readonly Snippet[];
  /** The label of the first choice. Default: the client. */
  readonly label?: string;
  /** The storage name of the choice. Blocks with the same name share it. */
  readonly remembered?: string;
}

/** Code to copy, with a choice of the client and of its language. */
export function CodeBlock({ snippets, label, remembered }: CodeBlockProps) {
  const { t } = useText();
  const [name, setName] = useRemembered(remembered);
  const [variant, setVariant] = useRemembered(remembered && `${remembered}-variant`);
  const own = snippets.filter((each) => each.name === name);
  const offered = own.length > 0 ? own : snippets.filter((each) => each.name === snippets[0]?.name);
  const shown = closest(offered, variant);
  if (!shown) return null;
  const names = [...new Set(snippets.map((each) => each.name))];
  return (
    <div className={classes['block']}>
      <div className={classes['head']}>
        <div className={classes['choices']}>
          {names.length > 1 ? (
            <Choice label={label ?? t('common.client')} values={names} value={shown.name} onChange={setName} />
          ) : (
            <span className={classes['name']}>{shown.name}</span>
          )}
          {offered.length > 1 && (
            <Choice
              label={t('common.clientLanguage')}
              values={offered.map((each) => each.variant ?? '')}
              value={shown.variant ?? ''}
              onChange={setVariant}
            />
          )}
        </div>
        <CopyButton text={shown.code} label={t('common.copyCode')} />
      </div>
      <pre className={classes['code']} tabIndex={0}>
        <code>{shown.code}</code>
      </pre>
    </div>
  );
}

/** The snippet of this variant, or else one in the same language. */
function closest(offered: readonly Snippet[], variant: string): Snippet | undefined {
  const language = languageOf(variant);
  return (
    offered.find((each) => each.variant === variant) ??
    offered.find((each) => languageOf(each.variant ?? '') === language) ??
    offered[0]
  );
}

function languageOf(variant: string): string {
  return variant.split(',')[0] ?? '';
}

function useRemembered(storageName: string | undefined): readonly [string, (value: string) => void] {
  const [value, setValue] = useState(() => (storageName && recall(storageName)) || '');
  return [
    value,
    (chosen) => {
      setValue(chosen);
      if (storageName) remember(storageName, chosen);
    },
  ];
}

interface ChoiceProps {
  readonly label: string;
  readonly values: readonly string[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** The browser's own list: pages that only show figures load no fields of forms. */
function Choice({ label, values, value, onChange }: ChoiceProps) {
  return (
    <select
      className={classes['choice']}
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    >
      {values.map((each) => (
        <option key={each}>{each}</option>
      ))}
    </select>
  );
}
