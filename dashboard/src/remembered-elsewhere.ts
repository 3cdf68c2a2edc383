/** Hears what another tab of this browser keeps under a name, or that it has forgotten it; ends with what it returns. */
export function whenRemembered(name: string, hear: (value: string | null) => void): () => void {
  const listen = ({ key, newValue }: StorageEvent): void => {
    // Without a key, everything was forgotten.
    if (key === null || key === `gateway.${name}`) hear(newValue);
  };
  addEventListener('storage', listen);
  return () => removeEventListener('storage', listen);
}
