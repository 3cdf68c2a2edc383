import { CodeView } from './code-view.tsx';
import type { Conversation } from './conversation.ts';
import { ConversationView } from './conversation-view.tsx';
import { FramesView } from './frames-view.tsx';
import classes from './playground.module.css';
import type { Settings } from './settings.ts';

export type View = 'conversation' | 'frames' | 'code';

export interface PaneProps {
  readonly view: View;
  readonly settings: Settings;
  readonly conversation: Conversation;
  /** Whether it stands beside another, and so has to say whose it is. */
  readonly isNamed: boolean;
  readonly onSample: (text: string, tools?: string) => void;
}

/** One conversation, as words, as what came over the wire, or as code. */
export function Pane({ view, settings, conversation, isNamed, onSample }: PaneProps) {
  return (
    <section className={classes['pane']} aria-label={settings.model}>
      {isNamed && <h2 className={classes['paneName']}>{settings.model}</h2>}
      {view === 'conversation' && <ConversationView conversation={conversation} onSample={onSample} />}
      {view === 'frames' && <FramesView frames={conversation.run?.frames ?? []} />}
      {view === 'code' && <CodeView settings={settings} entries={conversation.entries} />}
    </section>
  );
}
