import { Button, SegmentedControl } from '@mantine/core';
import { type CSSProperties, useRef, useState } from 'react';
import { PageHeader } from '../../components/page-header.tsx';
import { PlusIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { Composer, focusComposer } from './composer.tsx';
import { useConversation } from './conversation.ts';
import { KeyBox, usePlaygroundKey } from './key-box.tsx';
import { Pane, type PaneView } from './pane.tsx';
import { ParameterPanel } from './parameter-panel.tsx';
import classes from './playground.module.css';
import { useSettings } from './use-settings.ts';

export default function PlaygroundPage() {
  const { t } = useText();
  const { settings, secondModel, text, change, compareWith, write } = useSettings();
  const held = usePlaygroundKey();
  const key = { secret: held.secret, onKey: held.recordUse };
  const first = useConversation({ name: 'first', settings, ...key });
  const secondSettings = { ...settings, model: secondModel ?? '' };
  const second = useConversation({ name: 'second', settings: secondSettings, ...key });
  const [view, setView] = useState<PaneView>('conversation');
  const composer = useRef<HTMLFormElement>(null);
  const conversations = secondModel === undefined ? [first] : [first, second];
  const isRefused = held.key?.isRefused ?? false;
  const isRunning = conversations.some((conversation) => conversation.isRunning);
  const needsKey = held.isMissing || isRefused;
  // One row per message, one for the name and one for the end.
  const rows = Math.max(...conversations.map(({ entries }) => entries.length)) + 2;
  const isAligned = view === 'conversation' && secondModel !== undefined;
  const sample = (words: string, tools?: string) => {
    focusComposer(composer.current);
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
            disabled={conversations.every(({ entries }) => entries.length === 0)}
            onClick={() => {
              focusComposer(composer.current);
              for (const { begin } of conversations) begin();
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
          secondModel={secondModel}
          onSecondModel={(model) => {
            // Both conversations continue from the messages so far.
            if (model !== undefined && secondModel === undefined) second.begin(first.entries);
            if (model === undefined) second.stop();
            compareWith(model);
          }}
          mayCompare={secondModel !== undefined || !first.isRunning}
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
            data-two={secondModel !== undefined || undefined}
            data-rows={isAligned || undefined}
            style={{ '--rows': rows } as CSSProperties}
          >
            {conversations.map((conversation) => (
              <Pane
                key={conversation === first ? 'first' : 'second'}
                view={view}
                settings={conversation === first ? settings : secondSettings}
                conversation={conversation}
                composer={composer}
                isNamed={secondModel !== undefined}
                onSample={sample}
              />
            ))}
          </div>
          {needsKey && <KeyBox held={held} isRefused={isRefused} isRunning={isRunning} />}
          <Composer
            formRef={composer}
            draft={{ text, system: settings.system }}
            onDraft={(draft) => {
              if (draft.text !== undefined) write(draft.text);
              if (draft.system !== undefined) change({ system: draft.system });
            }}
            isRunning={isRunning}
            awaitsResults={conversations.some(({ awaitsResults }) => awaitsResults)}
            isReady={!held.isMissing && settings.model !== ''}
            isSticky={view === 'conversation' && !needsKey && conversations.some(({ entries }) => entries.length > 0)}
            onSend={(message) => {
              write('');
              if (view === 'code') setView('conversation');
              for (const { send } of conversations) send(message);
            }}
            onStop={() => conversations.forEach(({ stop }) => stop())}
          />
        </section>
      </div>
    </>
  );
}
