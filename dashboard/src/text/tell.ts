import { notifications } from '@mantine/notifications';

/** Says in the corner that something was done; once, also where a button was pressed twice. */
export function tell(message: string): void {
  notifications.show({ id: message, message, color: 'accent', withBorder: true, autoClose: 4000 });
}

/** Says in the corner what has changed without one's doing, for as long as it takes to read that. */
export function tellNews(message: string): void {
  notifications.show({ id: message, message, color: 'yellow', withBorder: true, autoClose: 12_000 });
}

/** Says in the corner what went wrong, for as long as it takes to read that. */
export function tellFailure(title: string, message: string): void {
  notifications.show({ id: message, title, message, color: 'red', withBorder: true, autoClose: 12_000 });
}
