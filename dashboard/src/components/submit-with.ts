/** A submit handler for a form that sends itself: the browser must not load another page. */
export function submitWith(action: () => void): (event: Pick<Event, 'preventDefault'>) => void {
  return (event) => {
    event.preventDefault();
    action();
  };
}
