import { type RefObject, useEffect, useRef } from 'react';

/**
 * Keeps the end of a conversation visible above the composer while the user is at the end, even if content above it
 * grows. If the user has scrolled up, the position stays until the next message.
 */
export function useFollowedEnd(messageCount: number, composer: RefObject<HTMLElement | null>) {
  const end = useRef<HTMLLIElement>(null);
  const isThere = messageCount > 0;
  useEffect(() => {
    if (messageCount > 0) showEnd(end.current, composer.current);
  }, [messageCount, composer]);
  useEffect(() => {
    const [mark, over] = [end.current, composer.current];
    if (!isThere || !mark?.parentElement || !over) return undefined;
    let isFollowed = true;
    let before = window.scrollY;
    const look = () => {
      // New text may have pushed the end out of view. Only scrolling up stops following.
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

/** The end may be hidden by this much and still count as visible: scroll positions are seldom exact. */
const nearPx = 60;
const gapPx = 24;

function showEnd(mark: HTMLElement | null, composer: HTMLElement | null): void {
  if (!mark || !composer) return;
  const hidden = hiddenPx(mark, composer);
  if (hidden > 0) window.scrollBy({ top: hidden, behavior: 'instant' });
}

/** How far the end is below the visible area. */
function hiddenPx(mark: HTMLElement, composer: HTMLElement): number {
  const isOver = composer.dataset['sticky'] !== undefined;
  const covered = isOver ? composer.offsetHeight + Number.parseFloat(getComputedStyle(composer).bottom) : 0;
  return mark.getBoundingClientRect().bottom + gapPx - (window.innerHeight - covered);
}
