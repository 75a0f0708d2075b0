// What using an element would do, as far as that can be known before it is used: send a form, lead to another page, save a file. What the
// page's scripts make of a click cannot be known.

const formOfButton = getter(HTMLButtonElement.prototype, 'form');
const formOfInput = getter(HTMLInputElement.prototype, 'form');
const baseOf = getter(Node.prototype, 'baseURI');
const inputType = element => (attribute(element, 'type') ?? '').toLowerCase();

/** @typedef {{submits?: string, goes?: string, downloads?: string}} Intent addresses, as the browser reads them */

const resolved = address => {
  try {
    return new URL(address, baseOf(document)).href;
  } catch {
    return location.href;
  }
};

/** The form that a button sends, if it sends one. */
const formSentBy = element => {
  const tag = tagOf(element);
  if (tag === 'button' && element instanceof HTMLButtonElement && !['button', 'reset'].includes(inputType(element))) return formOfButton(element);
  if (tag === 'input' && element instanceof HTMLInputElement && ['submit', 'image'].includes(inputType(element))) return formOfInput(element);
  return null;
};

/** @returns {Intent} sending a form, by a button or without one */
const sending = (form, button) => {
  const said = name => (button && has(button, `form${name}`) ? attribute(button, `form${name}`) : attribute(form, name));
  if (said('method')?.trim().toLowerCase() === 'dialog') return {};
  const action = said('action')?.trim();
  return { submits: action ? resolved(action) : location.href };
};

/** @returns {Intent} */
const following = link => {
  const address = resolved(attribute(link, 'href') ?? attribute(link, 'xlink:href'));
  if (has(link, 'download')) return { downloads: address };
  const [page, place] = address.split('#', 2);
  return place !== undefined && page === location.href.split('#', 1)[0] ? {} : { goes: address };
};

const isLink = element => ['a', 'area'].includes(tagOf(element)) && (has(element, 'href') || has(element, 'xlink:href'));

/** @returns {Intent | null} null if it is no control */
const pressing = element => {
  if (!['button', 'input', 'select', 'textarea', 'summary'].includes(tagOf(element))) return null;
  const form = formSentBy(element);
  return form ? sending(form, element) : {};
};

/** @returns {Intent} clicking what is hit: the nearest thing around it that does something when it is clicked */
const clicking = hit => {
  for (let at = hit; at; at = holderOf(at)) {
    if (isLink(at)) return following(at);
    const intent = pressing(at);
    if (intent) return intent;
    const control = tagOf(at) === 'label' ? controlOf(at) : null;
    if (control) return pressing(control) ?? {};
  }
  return {};
};

/** @returns {Intent} pressing a key while the element has the focus (HTML, "Implicit submission") */
const striking = (element, key) => {
  const type = inputType(element);
  const isButton = tagOf(element) === 'button' || (tagOf(element) === 'input' && ['submit', 'image', 'button', 'reset', 'file', 'color'].includes(type));
  if (isButton) return pressing(element);
  if (key !== 'Enter') return {};
  if (isLink(element)) return following(element);
  const form = tagOf(element) === 'input' ? formOfInput(element) : null;
  if (!form) return {};
  const button = [...select(rootOf(form), 'button, input')].find(candidate => formSentBy(candidate) === form);
  return sending(form, button);
};

const here = intent => ({ ...intent, page: location.href, origin: self.origin });

/** What a click at a point of this frame would do. */
const intentAt = (x, y, element) => here(clicking(hitAt(x, y) ?? element));

/** What a click on an element would do, or a key pressed in it; null if it is gone. @param {number} number @param {string | null} key */
const intentOf = (number, key) => {
  const element = elementOf(number);
  return element && here(key === null ? clicking(element) : striking(element, key));
};

Object.assign(api, { intentOf });
