import { notifications } from '@mantine/notifications';

/** Shows a notification that an action succeeded. The same message is shown only once, also after a double click. */
export function notifySuccess(message: string): void {
  notifications.show({ id: message, message, color: 'accent', withBorder: true, autoClose: 4000 });
}

/** Shows a notification, for 12 s, about a change that the user did not make. */
export function notifyChange(message: string): void {
  notifications.show({ id: message, message, color: 'yellow', withBorder: true, autoClose: 12_000 });
}

/** Shows an error notification for 12 s. */
export function notifyFailure(title: string, message: string): void {
  notifications.show({ id: message, title, message, color: 'red', withBorder: true, autoClose: 12_000 });
}
