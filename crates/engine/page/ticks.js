// What can be ticked and whether it is: boxes, radio buttons, switches, buttons that stay down.

const isTicked = getter(HTMLInputElement.prototype, 'checked');
const isUndecided = getter(HTMLInputElement.prototype, 'indeterminate');

/** Which attribute says it, by preference. */
const TICK_ATTRIBUTES = ['aria-checked', 'aria-pressed', 'aria-selected'];

/**
 * What can be ticked at an element: itself, or the control that it labels.
 * @returns {{number: number, radio: boolean, state: 'on' | 'off' | 'mixed', named: object} | null} null if nothing can
 */
const tickOf = number => {
  const element = elementOf(number);
  if (element === null) return null;
  beginNames();
  const control = tickable(element);
  if (control === null) return null;
  const role = roleOf(control);
  const radio = role === 'radio' || role === 'menuitemradio';
  return { number: numberOf(control), radio, state: tickState(control), named: nameFor(control) };
};

const tickable = element => {
  if (tickState(element) !== null) return element;
  if (tagOf(element) === 'label') {
    const control = labelled(element);
    return control !== null && tickState(control) !== null ? control : controlBeside(element, beside => tickState(beside) !== null);
  }
  // What stands around a single box passes for it, as components often do.
  const found = [];
  if (tagOf(element).includes('-') || !isFocusable(element)) {
    for (const root of rootsIn(element)) {
      for (const control of select(root, 'input[type=checkbox], input[type=radio], [role=checkbox], [role=switch], [role=radio]')) {
        if (tickState(control) !== null) found.push(control);
      }
    }
  }
  if (found.length > 0) return found.length === 1 ? found[0] : null;
  return controlBeside(element, beside => tickState(beside) !== null);
};

/** @returns {'on' | 'off' | 'mixed' | null} null for what cannot be ticked */
const tickState = element => {
  if (tagOf(element) === 'input') {
    const type = inputKind(element);
    if (type === 'checkbox') return isUndecided(element) ? 'mixed' : isTicked(element) ? 'on' : 'off';
    if (type === 'radio') return isTicked(element) ? 'on' : 'off';
  }
  if (tagOf(element) === 'option') return null;
  const role = roleOf(element);
  for (const name of TICK_ATTRIBUTES) {
    if (name === 'aria-selected' && role !== 'option') continue;
    const said = attribute(element, name)?.toLowerCase();
    if (said === 'mixed') return 'mixed';
    if (said === 'true') return 'on';
    if (said === 'false') return 'off';
  }
  // Without the attribute these are off (ARIA 1.2 §6.6).
  return TICKED.has(role) ? 'off' : null;
};

Object.assign(api, { tickOf });
