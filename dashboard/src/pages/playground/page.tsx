import { Button, SegmentedControl } from '@mantine/core';
import { type CSSProperties, useRef, useState } from 'react';
import { PageHeader } from '../../components/page-header.tsx';
import { PlusIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { Composer } from './composer.tsx';
import { useConversation } from './conversation.ts';
import { goOnIn } from './go-on.ts';
import { KeyBox } from './key-box.tsx';
import { Pane, type PaneView } from './pane.tsx';
import { ParameterPanel } from './parameter-panel.tsx';
import classes from './playground.module.css';
import { usePlaygroundKey } from './playground-key.ts';
import { useSettings } from './use-settings.ts';

export default function PlaygroundPage() {
  const { t } = useText();
  const { settings, rival, text, change, compareWith, write } = useSettings();
  const held = usePlaygroundKey();
  const key = { secret: held.secret, onKey: held.hear };
  const first = useConversation({ name: 'first', settings, ...key });
  const rivalSettings = { ...settings, model: rival ?? '' };
  const second = useConversation({ name: 'second', settings: rivalSettings, ...key });
  const [view, setView] = useState<PaneView>('conversation');
  const composer = useRef<HTMLFormElement>(null);
  const talks = rival === undefined ? [first] : [first, second];
  const isRefused = held.key?.isRefused ?? false;
  const isRunning = talks.some((talk) => talk.isRunning);
  const needsKey = held.isWanted || isRefused;
  // One row per message, one for the name and one for the end.
  const rows = Math.max(...talks.map(({ entries }) => entries.length)) + 2;
  const isAligned = view === 'conversation' && rival !== undefined;
  const sample = (words: string, tools?: string) => {
    goOnIn(composer.current);
    write(words);
    if (tools !== undefined) change({ tools });
  };
  return (
    <>
      <PageHeader
        title={t('nav.playground')}
        description={t('playground.description')}
        actions={
          <Button
            variant="default"
            leftSection={<PlusIcon size={16} />}
            disabled={talks.every(({ entries }) => entries.length === 0)}
            onClick={() => {
              goOnIn(composer.current);
              for (const { begin } of talks) begin();
            }}
          >
            {t('playground.clear')}
          </Button>
        }
      />
      <div className={classes['layout']}>
        <ParameterPanel
          settings={settings}
          onChange={change}
          rival={rival}
          onRival={(model) => {
            // Both conversations continue from the messages so far.
            if (model !== undefined && rival === undefined) second.begin(first.entries);
            if (model === undefined) second.stop();
            compareWith(model);
          }}
          mayCompare={rival !== undefined || !first.isRunning}
          held={held}
        />
        <section className={classes['stage']} aria-label={t('playground.viewConversation')}>
          <SegmentedControl
            aria-label={t('playground.view')}
            value={view}
            onChange={setView}
            data={[
              { value: 'conversation', label: t('playground.viewConversation') },
              { value: 'frames', label: t('playground.viewFrames') },
              { value: 'code', label: t('playground.viewCode') },
            ]}
          />
          <div
            className={classes['view']}
            data-two={rival !== undefined || undefined}
            data-rows={isAligned || undefined}
            style={{ '--rows': rows } as CSSProperties}
          >
            {talks.map((conversation) => (
              <Pane
                key={conversation === first ? 'first' : 'second'}
                view={view}
                settings={conversation === first ? settings : rivalSettings}
                conversation={conversation}
                composer={composer}
                isNamed={rival !== undefined}
                onSample={sample}
              />
            ))}
          </div>
          {needsKey && <KeyBox held={held} isRefused={isRefused} isRunning={isRunning} />}
          <Composer
            place={composer}
            draft={{ text, system: settings.system }}
            onDraft={(draft) => {
              if (draft.text !== undefined) write(draft.text);
              if (draft.system !== undefined) change({ system: draft.system });
            }}
            isRunning={isRunning}
            awaitsResults={talks.some(({ awaitsResults }) => awaitsResults)}
            isReady={!held.isWanted && settings.model !== ''}
            isSticky={view === 'conversation' && !needsKey && talks.some(({ entries }) => entries.length > 0)}
            onSend={(said) => {
              write('');
              if (view === 'code') setView('conversation');
              for (const { say } of talks) say(said);
            }}
            onStop={() => talks.forEach(({ stop }) => stop())}
          />
        </section>
      </div>
    </>
  );
}
