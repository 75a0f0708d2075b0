// What a page keeps in its storage. Not part of the closure of the other files: an expression of its own, since it is also run in pages
// that have nothing else of ours.

/**
 * @param {'local' | 'session'} area
 * @param {'list' | 'get' | 'put' | 'delete' | 'clear'} what
 * @param {[string, string?][]} items the names that are meant; to be put, with their values
 * @returns {{ origin: string, items: [string, string][], refused?: string }} what there is of them, or was before it was deleted
 */
(area, what, items) => {
  const { origin } = location;
  try {
    const storage = area === 'local' ? localStorage : sessionStorage;
    const { getItem, setItem, removeItem, clear, key } = Storage.prototype;
    const names = items.length
      ? items.map(([name]) => name)
      : Array.from({ length: storage.length }, (_, index) => key.call(storage, index));
    const found = names.map(name => [name, getItem.call(storage, name)]).filter(([, value]) => value !== null);
    if (what === 'put') for (const [name, value] of items) setItem.call(storage, name, value);
    if (what === 'delete') for (const name of names) removeItem.call(storage, name);
    if (what === 'clear') clear.call(storage);
    return { origin, items: what === 'put' ? [] : found };
  } catch (error) {
    return { origin, items: [], refused: error instanceof DOMException ? error.name : 'Error' };
  }
}
