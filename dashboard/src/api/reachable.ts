/** Whether the gateway answers at all, whatever it says. */
export async function isReachable(): Promise<boolean> {
  try {
    await fetch('/auth/session', { cache: 'no-store' });
    return true;
  } catch {
    return false;
  }
}
