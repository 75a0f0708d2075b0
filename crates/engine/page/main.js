// What the engine calls.

/** All that is said of one element. @param {number | Element} which its number, or itself */
const describe = which => {
  const element = typeof which === 'number' ? elementOf(which) : which;
  if (!element) return null;
  beginNames();
  const role = roleOf(element);
  const name = nameOf(element, role);
  return { role, name, description: descriptionOf(element, name), states: statesOf(element, role) };
};

Object.defineProperty(globalThis, 'webhand', { value: Object.freeze({ locate, element: elementOf, has: number => elementOf(number) !== null, number: numberOf, describe, snapshot, boxes, reveal, viewport, mayBeHosts, adopt }) });
