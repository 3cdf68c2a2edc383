import { type RefObject, useEffect, useRef } from 'react';

/**
 * The mark at the end of a conversation, which stays in sight above the composer for whoever is there: they see what
 * comes, however high it is and whatever it comes beside. Who has scrolled up to read is left there until something new
 * is said.
 */
export function useFollowedEnd(turns: number, composer: RefObject<HTMLElement | null>) {
  const end = useRef<HTMLLIElement>(null);
  const isThere = turns > 0;
  useEffect(() => {
    if (turns > 0) showEnd(end.current, composer.current);
  }, [turns, composer]);
  useEffect(() => {
    const [mark, over] = [end.current, composer.current];
    if (!isThere || !mark?.parentElement || !over) return undefined;
    let isFollowed = true;
    let before = window.scrollY;
    const look = () => {
      // What has come since may hide the end by now: only who goes up leaves it.
      if (hiddenPx(mark, over) < nearPx) isFollowed = true;
      else if (window.scrollY < before) isFollowed = false;
      before = window.scrollY;
    };
    const watcher = new ResizeObserver(() => {
      if (isFollowed) showEnd(mark, over);
    });
    watcher.observe(mark.parentElement);
    watcher.observe(over);
    window.addEventListener('scroll', look, { passive: true });
    return () => {
      watcher.disconnect();
      window.removeEventListener('scroll', look);
    };
  }, [isThere, composer]);
  return end;
}

/** How much may be hidden of the end for somebody who is there: a screen seldom stands still to the pixel. */
const nearPx = 60;
const gapPx = 24;

function showEnd(mark: HTMLElement | null, composer: HTMLElement | null): void {
  if (!mark || !composer) return;
  const hidden = hiddenPx(mark, composer);
  if (hidden > 0) window.scrollBy({ top: hidden, behavior: 'instant' });
}

/** How far the end is below what can be seen of the page. */
function hiddenPx(mark: HTMLElement, composer: HTMLElement): number {
  const isOver = composer.dataset['sticky'] !== undefined;
  const covered = isOver ? composer.offsetHeight + Number.parseFloat(getComputedStyle(composer).bottom) : 0;
  return mark.getBoundingClientRect().bottom + gapPx - (window.innerHeight - covered);
}
