// What the engine calls: the parts have put their functions into `api`.

/** All that is said of one element. @param {number | Element} which its number, or itself */
api.describe = which => {
  const element = typeof which === 'number' ? elementOf(which) : which;
  if (!element) return null;
  beginNames();
  const role = roleOf(element);
  const name = nameOf(element, role);
  return { role, name, description: descriptionOf(element, name), states: statesOf(element, role) };
};
api.locate = locate;
api.element = elementOf;
api.number = element => numberOf(element);
api.title = () => titleOf(document);
api.has = number => elementOf(number) !== null;

Object.defineProperty(globalThis, 'webhand', { value: Object.freeze(api) });
