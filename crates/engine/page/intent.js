// What using an element would do, as far as that can be known before it is used: send a form, lead to another page, save a file. What the
// page's scripts make of a click cannot be known.

const HTML = 'http://www.w3.org/1999/xhtml';
const MATHML = 'http://www.w3.org/1998/Math/MathML';
const XLINK = 'http://www.w3.org/1999/xlink';

const formOfButton = getter(HTMLButtonElement.prototype, 'form');
const formOfInput = getter(HTMLInputElement.prototype, 'form');
const formOfSelect = getter(HTMLSelectElement.prototype, 'form');
const buttonType = getter(HTMLButtonElement.prototype, 'type');
const methodOf = getter(HTMLFormElement.prototype, 'method');
const methodByButton = getter(HTMLButtonElement.prototype, 'formMethod');
const methodByInput = getter(HTMLInputElement.prototype, 'formMethod');
const baseOf = getter(Node.prototype, 'baseURI');
const attributeNS = Element.prototype.getAttributeNS;

/** Whether it is an HTML element of this name: elements of other languages have no forms, whatever they are called. */
const isHtml = (element, tag) => tagOf(element) === tag && namespaceOf(element) === HTML;

/**
 * What using an element would do: addresses, as the browser reads them, and what does it. An approval is for exactly that; see `deedOf`.
 * @typedef {{submits?: string, goes?: string, downloads?: string, actor?: Element, form?: Element, button?: Element | null, how?: (string | null)[]}} Intent
 */

/** An address in an attribute, without the blanks around it that HTML allows. Others, such as a no-break space, are part of it. */
const stripped = address => address.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, '');

const resolved = address => {
  try {
    return new URL(address, baseOf(document)).href;
  } catch {
    return location.href;
  }
};

/** The form that a button sends, if it sends one. Its kind is the browser's word: attributes may be misspelt, and other attributes count. */
const formSentBy = element => {
  if (isHtml(element, 'button') && buttonType(element) === 'submit') return formOfButton(element);
  if (isHtml(element, 'input') && ['submit', 'image'].includes(inputKind(element))) return formOfInput(element);
  return null;
};

/** @returns {Intent} sending a form, by a button or without one */
const sending = (form, button) => {
  const methodBy = button && isHtml(button, 'button') ? methodByButton : methodByInput;
  const method = button && has(button, 'formmethod') ? methodBy(button) : methodOf(form);
  if (method === 'dialog') return {};
  const said = name => (button && has(button, `form${name}`) ? attribute(button, `form${name}`) : attribute(form, name)) ?? '';
  const action = stripped(said('action'));
  const how = ['method', 'target', 'enctype'].map(said);
  return { submits: action ? resolved(action) : location.href, form, button, how };
};

/** Where a link leads as it is written; null if it is none. SVG has two ways of writing it, and MathML links as well. */
const hrefOf = element => {
  const namespace = namespaceOf(element);
  if (namespace === MATHML) return attribute(element, 'href');
  if (!['a', 'area'].includes(tagOf(element))) return null;
  return attribute(element, 'href') ?? (namespace === HTML ? null : attributeNS.call(element, XLINK, 'href'));
};

const isLink = element => hrefOf(element) !== null;

/** Whether it opens in the frame that it is in. */
const staysInFrame = link => {
  const target = attribute(link, 'target') ?? attribute(select(document, 'base[target]')[0] ?? link, 'target') ?? '';
  return target === '' || target.toLowerCase() === '_self';
};

/** @returns {Intent} */
const following = link => {
  const address = resolved(stripped(hrefOf(link)));
  if (namespaceOf(link) === HTML && has(link, 'download')) {
    const { origin, protocol } = new URL(address);
    // What is of another origin is not saved for this attribute: the browser goes there, and saves it if the server says so.
    const isSaved = origin === self.origin || ['blob:', 'data:'].includes(protocol);
    return isSaved ? { downloads: address } : { downloads: address, goes: address };
  }
  const [page, place] = address.split('#', 2);
  return place !== undefined && page === location.href.split('#', 1)[0] && staysInFrame(link) ? {} : { goes: address };
};

/** @returns {Intent} what an element does by itself when it is clicked */
const pressing = element => {
  if (isLink(element)) return following(element);
  const form = formSentBy(element);
  return form ? sending(form, element) : {};
};

const CLICKED = ['button', 'input', 'select', 'textarea', 'summary'];

/** What does something by itself when it is clicked: a link or a control. */
const isActor = element => isLink(element) || CLICKED.includes(tagOf(element));

/**
 * Clicking what is hit. A click goes on to all that is around it: in Chromium a link is followed also by a click on a button in it that does
 * nothing, and a label clicks its control. What is nearest counts as what does it. @returns {Intent}
 */
const effectsOf = (hit, seen = new Set()) => {
  let intent = {};
  for (let at = hit; at && !seen.has(at); at = holderOf(at)) {
    seen.add(at);
    intent = { ...pressing(at), ...(isActor(at) ? { actor: at } : {}), ...intent };
    const control = isHtml(at, 'label') ? controlOf(at) : null;
    if (control) intent = { ...effectsOf(control, seen), ...intent };
  }
  return intent;
};

/** @returns {Intent} */
const clicking = hit => ({ actor: hit && (closest(hit, CONTROL) ?? hit), ...effectsOf(hit) });

/** Inputs that are clicked by Enter, and those by the space bar alone. */
const LIKE_BUTTONS = ['submit', 'image', 'button', 'reset', 'file', 'color'];
const CLICKED_BY_KEY = [...LIKE_BUTTONS, 'checkbox', 'radio'];

/** The form that Enter in a field sends. Chromium does that in a list as well. */
const formSentByEnter = element => {
  if (isHtml(element, 'select')) return formOfSelect(element);
  return isHtml(element, 'input') && !LIKE_BUTTONS.includes(inputKind(element)) ? formOfInput(element) : null;
};

/** @returns {Intent} pressing a key while the element has the focus (HTML, "Implicit submission") */
const striking = (element, key) => {
  const isClicked = isHtml(element, 'button') || isHtml(element, 'summary') || (isHtml(element, 'input') && CLICKED_BY_KEY.includes(inputKind(element)));
  const clicked = isClicked || (key === 'Enter' && isLink(element)) ? clicking(element) : {};
  if (key !== 'Enter') return clicked;
  const form = formSentByEnter(element);
  if (!form) return clicked;
  const button = [...select(rootOf(form), 'button, input')].find(candidate => formSentBy(candidate) === form);
  return { ...clicked, ...(button ? clicking(button) : {}), ...sending(form, button) };
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
    const type = inputKind(field);
    if (type === 'file') return [...(filesIn(field) ?? [])].map(({ name, size, lastModified }) => `${name} ${size} ${lastModified}`).join('\n');
    if (['checkbox', 'radio'].includes(type) && !isTicked(field)) return '';
  }
  const reader = readers.find(([of]) => field instanceof of);
  return reader ? reader[1](field) : '';
};

/** The fields of a form in their order, hidden ones included. Buttons other than the one that sends it send nothing. */
const fieldsOf = (form, sender) =>
  [...fieldsIn(form)]
    .filter(field => field === sender || !(field instanceof HTMLButtonElement || (field instanceof HTMLInputElement && ['submit', 'button', 'reset', 'image'].includes(inputKind(field)))))
    .filter(field => !(field instanceof HTMLFieldSetElement) && (attribute(field, 'name') || field === sender))
    .map(field => ({ number: numberOf(field), name: attribute(field, 'name') ?? '', kind: field instanceof HTMLInputElement ? inputKind(field) : tagOf(field), off: isOff(field), value: sent(field) }));

/** What does it: another element, another name, another form or another way to send it are another deed. */
const deedOf = ({ actor, form, button, how }) => {
  if (!actor) return null;
  beginNames();
  const role = roleOf(actor);
  const scripts = [attribute(actor, 'onclick'), form ? attribute(form, 'onsubmit') : null];
  const numbers = [actor, form, button].map(element => (element ? numberOf(element) : 0));
  return { role, name: nameOf(actor, role) || (isFilled(actor) ? '' : seenText(actor)), numbers, tag: tagOf(actor), type: attribute(actor, 'type') ?? '', how: how ?? [], scripts };
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

/** What letting go of the pointer over one element does when it was pressed on another: a click on the nearest thing that holds both. */
const intentOfDrag = (from, to) => {
  const [pressed, released] = [elementOf(from), elementOf(to)];
  if (!pressed || !released) return here(released ? clicking(released) : {});
  const around = new Set();
  for (let at = pressed; at; at = holderOf(at)) around.add(at);
  let common = released;
  while (common && !around.has(common)) common = holderOf(common);
  return here(common ? clicking(common) : {});
};

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

Object.assign(api, { intentOf, intentOfDrag });
