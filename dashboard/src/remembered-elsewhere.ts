/** Calls the listener when another tab changes or removes a value. Returns a function that stops listening. */
export function onStorageChange(name: string, listener: (value: string | null) => void): () => void {
  const listen = ({ key, newValue }: StorageEvent): void => {
    // Without a key, the other tab cleared the whole storage.
    if (key === null || key === `gateway.${name}`) listener(newValue);
  };
  addEventListener('storage', listen);
  return () => removeEventListener('storage', listen);
}
