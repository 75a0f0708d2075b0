// What using an element would do, as far as that can be known before it is used: send a form, lead to another page, save a file. What the
// page's scripts make of a click cannot be known.

const formOfButton = getter(HTMLButtonElement.prototype, 'form');
const formOfInput = getter(HTMLInputElement.prototype, 'form');
const baseOf = getter(Node.prototype, 'baseURI');
const inputType = element => (attribute(element, 'type') ?? '').toLowerCase();

/**
 * What using an element would do: addresses, as the browser reads them, and what does it. An approval is for exactly that; see `deedOf`.
 * @typedef {{submits?: string, goes?: string, downloads?: string, actor?: Element, form?: Element, button?: Element | null, how?: (string | null)[]}} Intent
 */

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
  const how = ['method', 'target', 'enctype'].map(name => said(name) ?? '');
  return { submits: action ? resolved(action) : location.href, form, button, how };
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
    if (isLink(at)) return { ...following(at), actor: at };
    const intent = pressing(at);
    if (intent) return { ...intent, actor: at };
    const control = tagOf(at) === 'label' ? controlOf(at) : null;
    if (control) return { ...pressing(control), actor: control };
  }
  return { actor: hit && (closest(hit, CONTROL) ?? hit) };
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

const fieldsIn = getter(HTMLFormElement.prototype, 'elements');
const isOff = element => matches(element, ':disabled');
const readers = [
  [HTMLTextAreaElement, getter(HTMLTextAreaElement.prototype, 'value')],
  [HTMLButtonElement, getter(HTMLButtonElement.prototype, 'value')],
  [HTMLInputElement, getter(HTMLInputElement.prototype, 'value')],
  [HTMLOutputElement, getter(HTMLOutputElement.prototype, 'value')],
];
const filesIn = getter(HTMLInputElement.prototype, 'files');
const chosenIn = getter(HTMLSelectElement.prototype, 'selectedOptions');
const optionValue = getter(HTMLOptionElement.prototype, 'value');

/** What a field would send. It goes to the engine, which keeps a keyed hash of it. @returns {string} */
const sent = field => {
  if (field instanceof HTMLSelectElement) return [...chosenIn(field)].map(optionValue).join('\n');
  if (field instanceof HTMLInputElement) {
    const type = inputType(field);
    if (type === 'file') return [...(filesIn(field) ?? [])].map(({ name, size, lastModified }) => `${name} ${size} ${lastModified}`).join('\n');
    if (['checkbox', 'radio'].includes(type) && !isTicked(field)) return '';
  }
  const reader = readers.find(([of]) => field instanceof of);
  return reader ? reader[1](field) : '';
};

/** The fields of a form in their order, hidden ones included. Buttons other than the one that sends it send nothing. */
const fieldsOf = (form, sender) =>
  [...fieldsIn(form)]
    .filter(field => field === sender || !(field instanceof HTMLButtonElement || (field instanceof HTMLInputElement && ['submit', 'button', 'reset', 'image'].includes(inputType(field)))))
    .filter(field => !(field instanceof HTMLFieldSetElement) && (attribute(field, 'name') || field === sender))
    .map(field => ({ number: numberOf(field), name: attribute(field, 'name') ?? '', kind: inputType(field) || tagOf(field), off: isOff(field), value: sent(field) }));

/** What does it: another element, another name, another form or another way to send it are another deed. */
const deedOf = ({ actor, form, button, how }) => {
  if (!actor) return null;
  beginNames();
  const role = roleOf(actor);
  const scripts = [attribute(actor, 'onclick'), form ? attribute(form, 'onsubmit') : null];
  const numbers = [actor, form, button].map(element => (element ? numberOf(element) : 0));
  return { role, name: nameOf(actor, role) || (isFilled(actor) ? '' : seenText(actor)), numbers, tag: tagOf(actor), type: inputType(actor), how: how ?? [], scripts };
};

const here = intent => ({
  submits: intent.submits,
  goes: intent.goes,
  downloads: intent.downloads,
  page: location.href,
  origin: self.origin,
  deeds: [deedOf(intent)],
  fields: intent.form ? fieldsOf(intent.form, intent.button) : [],
});

/** What a click at a point of this frame would do. */
const intentAt = (x, y, element) => here(clicking(hitAt(x, y) ?? element));

/** What a click on an element would do, or a key pressed in it; null if it is gone. @param {number} number @param {string | null} key */
const intentOf = (number, key) => {
  const element = elementOf(number);
  return element && here(key === null ? clicking(element) : { ...striking(element, key), actor: element });
};

/** The same for an element that is clicked at a point: what is hit may only stand for it, and the element then does what it does. */
const intentOfBoth = (number, x, y) => {
  const [meant, hit] = [intentOf(number, null), intentAt(x, y, elementOf(number))];
  const one = name => hit[name] ?? meant?.[name];
  const fields = hit.submits === undefined && meant ? meant.fields : hit.fields;
  return { ...hit, submits: one('submits'), goes: one('goes'), downloads: one('downloads'), deeds: [...(meant?.deeds ?? []), ...hit.deeds], fields };
};

/** What must not change until the click arrives: where it leads and, if somebody has allowed exactly this, all of it. */
const promised = (intent, all) => JSON.stringify(all ? intent : [intent.submits, intent.goes, intent.downloads]);

Object.assign(api, { intentOf });
