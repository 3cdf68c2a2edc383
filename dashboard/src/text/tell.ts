import { notifications } from '@mantine/notifications';

/** Says in the corner that something was done. */
export function tell(message: string): void {
  notifications.show({ message, color: 'accent', withBorder: true, autoClose: 4000 });
}
