/** Whether the gateway answers at all, with any status. */
export async function isReachable(): Promise<boolean> {
  try {
    await fetch('/auth/session', { cache: 'no-store' });
    return true;
  } catch {
    return false;
  }
}
