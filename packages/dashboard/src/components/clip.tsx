import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import classes from './clip.module.css';

/** The width of the table. A change of it decides again which texts are cut off. */
export const TableWidth = createContext(0);

/**
 * One line, which ends with an ellipsis if it is too long. Hovering then shows the whole text. The text can also be
 * focused with the keyboard, and is shown whole while it is.
 */
export function Clip({ children }: { readonly children: ReactNode }) {
  useContext(TableWidth);
  const line = useRef<HTMLDivElement>(null);
  const [whole, setWhole] = useState<WholeText>();
  useEffect(() => {
    const now = wholeTextOf(line.current);
    setWhole((before) => (before?.text === now?.text && before?.isFocusable === now?.isFocusable ? before : now));
  });
  return (
    <div ref={line} className={classes['clip']} title={whole?.text} tabIndex={whole?.isFocusable ? 0 : undefined}>
      {children}
    </div>
  );
}

interface WholeText {
  readonly text: string;
  /** False if the line contains a link or a button, which has the focus instead. */
  readonly isFocusable: boolean;
}

/** The text of a line that is cut off. Undefined if all of it is visible. */
function wholeTextOf(line: HTMLElement | null): WholeText | undefined {
  // The browser may round the two heights differently.
  if (!line || line.scrollHeight <= line.clientHeight + 1) return undefined;
  return { text: line.textContent, isFocusable: line.querySelector('a, button, [tabindex]') === null };
}
