import { CodeView } from './code-view.tsx';
import { ConversationView, type ConversationViewProps } from './conversation-view.tsx';
import { FramesView } from './frames-view.tsx';
import classes from './playground.module.css';
import type { Settings } from './settings.ts';

export type PaneView = 'conversation' | 'frames' | 'code';

export interface PaneProps extends ConversationViewProps {
  readonly view: PaneView;
  readonly settings: Settings;
  /** Whether another pane is next to it, so that it shows the model name. */
  readonly isNamed: boolean;
}

/** One conversation, as messages, raw frames or code. */
export function Pane({ view, settings, isNamed, ...shown }: PaneProps) {
  const { conversation } = shown;
  return (
    <section className={classes['pane']} aria-label={settings.model}>
      {isNamed && <h2 className={classes['paneName']}>{settings.model}</h2>}
      {view === 'conversation' && <ConversationView {...shown} />}
      {view === 'frames' && <FramesView frames={conversation.run?.frames ?? []} />}
      {view === 'code' && <CodeView settings={settings} entries={conversation.entries} />}
    </section>
  );
}
