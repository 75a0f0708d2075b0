// Putting text into fields: which field an element means and of what kind it is, giving it the focus, and comparing what it holds then
// with what it was given. The text goes in here and never comes out again: only whether it is there, and how long what is there is.

const inputKind = getter(HTMLInputElement.prototype, 'type');
const inputText = getter(HTMLInputElement.prototype, 'value');
const areaText = getter(HTMLTextAreaElement.prototype, 'value');
const shownText = getter(HTMLElement.prototype, 'innerText');
const labelled = getter(HTMLLabelElement.prototype, 'control');
const isEditable = getter(HTMLElement.prototype, 'isContentEditable');
const setInputText = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
const validityOf = getter(HTMLInputElement.prototype, 'validity');
const selectIn = { input: HTMLInputElement.prototype.select, textarea: HTMLTextAreaElement.prototype.select };
const focusHtml = HTMLElement.prototype.focus;
const focusSvg = SVGElement.prototype.focus;

/** Fields that are set as a whole, and how their values are written. */
const FORMATS = {
  date: 'a date such as 2026-03-31',
  month: 'a month such as 2026-03',
  week: 'a week such as 2026-W09',
  time: 'a time such as 09:30',
  'datetime-local': 'a date and time such as 2026-03-31T09:30',
  color: 'a colour such as #1a2b3c',
  number: 'a number such as 12 or -3.5',
};
const NO_TEXT = new Set(['button', 'submit', 'reset', 'image', 'hidden']);
const TICKED = new Set(['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio']);
/** Roles of what stands around a field and passes for it. */
const AROUND_FIELD = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton']);

const isEdited = element => element instanceof HTMLElement && (isEditable(element) || isOwnEditor(element));

/** What a label says that it is for, whatever that is. */
const labelOfWhat = label => labelled(label) ?? (has(label, 'for') ? byId(rootOf(label), attribute(label, 'for')) ?? null : null);

/** The control that an element stands for: the one that it labels, or the only one in a thing that passes for a field. */
const controlFor = element => {
  const tag = tagOf(element);
  if (tag === 'label') {
    const labels = labelOfWhat(element);
    // A label may be for something that only holds the control.
    return labels === null ? element : (isField(labels) || isEdited(labels) ? labels : onlyControlIn(labels)) ?? labels;
  }
  if (isField(element) || tag === 'select' || isEdited(element)) return element;
  return AROUND_FIELD.has(roleOf(element)) || tag.includes('-') ? onlyControlIn(element) ?? element : element;
};

const onlyControlIn = element => {
  const found = [];
  for (const root of rootsIn(element)) {
    for (const field of select(root, 'input, textarea, select, [contenteditable], [role=slider i]')) if (kindOfField(field) !== 'none' && isThere(field)) found.push(field);
  }
  return found.length === 1 ? found[0] : null;
};

/** What people set, in forms; and frames, which may be editors. */
const SET =
  'input, textarea, select, [contenteditable], iframe, [role=textbox i], [role=searchbox i], [role=spinbutton i], [role=slider i], [role=combobox i], ' +
  '[role=listbox i], [aria-haspopup=listbox i], [role=checkbox i], [role=switch i], [role=radio i]';
/** How far out from a text what it belongs to is looked for, and how large a part of the page may be to belong together. */
const MOST_AROUND = 5;
const MOST_IN_PART = 300;
const TALLEST_PART = 300;

/**
 * What a text stands beside: the only control in the smallest part of the page that has the text and something to use in it. Many forms are
 * made so, without a word about which label is whose. What goes by another name is not meant.
 * @param {Element} element @param {(control: Element) => boolean} isMeant @returns {Element | null}
 */
const controlBeside = (element, isMeant) => {
  if (isFocusable(element) || matches(element, `${SET}, button, a[href]`) || (tagOf(element) === 'label' && labelOfWhat(element) !== null)) return null;
  let around = holderOf(element);
  for (let up = 0; up < MOST_AROUND && around && !contains(around, bodyOf(document)); up++, around = holderOf(around)) {
    if (boxOf(around).height > TALLEST_PART || select(around, '*').length > MOST_IN_PART) return null;
    const found = [...rootsIn(around)].flatMap(root => [...select(root, `${SET}, button, a[href]`)]).filter(isOffered);
    if (found.length === 0) continue;
    // A list may be a field in a box, and both say that they are one; buttons of a field are in it or beside it.
    const set = found.filter(control => matches(control, SET));
    const outer = set.filter(control => !set.some(other => other !== control && contains(other, control)));
    return outer.length === 1 && !goesByAnother(outer[0], element) ? set.find(isMeant) ?? null : null;
  }
  return null;
};
const isOffered = control => isRendered(control) && closest(control, '[aria-hidden=true i]') === null && !(control instanceof HTMLInputElement && NO_TEXT.has(inputKind(control)));

const goesByAnother = (control, text) => {
  const isNamed = has(control, 'aria-label') || has(control, 'aria-labelledby') || (labelsOf(control)?.length ?? 0) > 0;
  return isNamed && !flat(nameOf(control, roleOf(control))).includes(flat(seenText(text)));
};

/** An element and all shadow roots in it. */
function* rootsIn(element) {
  yield* roots(element);
  const own = shadowRootOf(element);
  if (own) yield* roots(own);
}

/** @returns {'text' | 'value' | 'editable' | 'list' | 'tick' | 'slider' | 'file' | 'none'} how it is filled */
const kindOfField = element => {
  const tag = tagOf(element);
  const role = roleOf(element);
  if (tag === 'textarea') return 'text';
  if (tag === 'select') return 'list';
  if (tag === 'input') {
    const type = inputKind(element);
    if (type === 'checkbox' || type === 'radio') return 'tick';
    if (type === 'file') return 'file';
    if (NO_TEXT.has(type)) return 'none';
    if (type === 'range' || (type in FORMATS && type !== 'number')) return 'value';
    // Some lists are an input that shows what was chosen.
    return role === 'combobox' && has(element, 'readonly') ? 'list' : 'text';
  }
  if (isEdited(element)) return 'editable';
  if (TICKED.has(role)) return 'tick';
  if (role === 'combobox' || role === 'listbox') return 'list';
  return role === 'slider' && isNumber(attribute(element, 'aria-valuenow') ?? '') ? 'slider' : 'none';
};

/**
 * Fills a field for text, in one call: it is aimed at and given the focus; then the engine is told to type, and what came of that is the answer.
 * A question asked after the typing would have to wait until the page has drawn it.
 * @returns {Promise<{number: number, kind: string, secret: boolean, misfit: string | null, aimed?: object, settled?: object} | null>} without `settled` nothing was typed
 */
const fillNow = async (number, text, patience, needs, seen) => {
  const found = fieldFor(number, text);
  if (found === null || found.misfit !== null || (found.kind !== 'text' && found.kind !== 'editable')) return found;
  const aimed = await api.aimAndGuard(found.number, patience, needs);
  if (aimed.problem !== undefined || aimed.begun.problem !== undefined) return { ...found, aimed };
  globalThis.webhandTell(JSON.stringify({ ...found, aimed }));
  return { ...found, aimed, settled: await api.settleOnInput(0, seen, 'endFill', text) };
};

/**
 * The field that an element stands for, whether it is a secret one, and how the text has to be written for it, if it is not.
 * @returns {{number: number, kind: string, secret: boolean, misfit: string | null} | null}
 */
const fieldFor = (number, text) => {
  const element = elementOf(number);
  if (element === null) return null;
  beginNames();
  let field = controlFor(element);
  if (kindOfField(field) === 'none') field = controlBeside(element, control => kindOfField(control) !== 'none') ?? field;
  const kind = kindOfField(field);
  const secret = kind === 'text' && isSecret(field);
  return { number: numberOf(field), kind, secret, misfit: ['text', 'value', 'slider'].includes(kind) ? misfit(numberOf(field), text) : null };
};

const textIn = element => {
  const tag = tagOf(element);
  return tag === 'input' ? inputText(element) : tag === 'textarea' ? areaText(element) : shownText(element);
};

const focusIt = element => (element instanceof SVGElement ? focusSvg : focusHtml).call(element);

/** Gives an element the focus. @returns {boolean} whether it has it now */
const giveFocus = number => {
  const element = elementOf(number);
  if (element === null) return false;
  if (hasFocus(element)) return true;
  focusIt(element);
  if (!hasFocus(element) && isEdited(element)) focusIt(editingHost(element));
  return hasFocus(element);
};

/** Whether what is typed now goes into an element. */
const hasFocus = element => {
  const active = activeUnder(document);
  for (let at = active; at; at = holderOf(at)) if (at === element) return true;
  return active !== null && isEdited(element) && contains(active, element);
};

/** What is edited as a whole around an element. */
const editingHost = element => {
  let host = element;
  for (let at = element; at && isEdited(at); at = parentNode(at)) host = at;
  return host;
};

/** How long is waited for what a page puts off when a field gets the focus, in milliseconds. */
const SOON = 100;

/** What is being filled, and what was in it before; `over` when that has been compared. @type {{element: Element, before: string, over?: boolean} | null} */
let filling = null;

/**
 * Gives a field the focus and selects what is in it, so that what comes next takes its place.
 * @returns {Promise<{problem?: string, empty?: boolean, byKeys?: boolean}>} `byKeys`: only keys can select it
 */
const beginFill = async number => {
  const element = elementOf(number);
  if (element === null) return { problem: 'gone' };
  if (!giveFocus(number)) return { problem: 'unfocused' };
  filling = { element, before: textIn(element) };
  selectAllIn(element);
  // A page may send the focus elsewhere a little later. Editors that keep a selection of their own hear of it a little later, too.
  if (timersLeft > 0) await timers(performance.now() + SOON);
  if (isEdited(element)) {
    await turn();
    await turn();
  }
  // A page that sends the focus elsewhere would get the text there.
  if (!hasFocus(element)) return { problem: 'moved' };
  expectInput();
  return { empty: filling.before === '' || filling.before === '\n', byKeys: isOwnEditor(element) };
};

const selectAllIn = element => {
  const select = selectIn[tagOf(element)];
  if (select) return select.call(element);
  if (isOwnEditor(element)) return;
  getSelection().selectAllChildren(element);
};

/** Puts the caret behind all that is in a field. @returns {true | string} the keys that do it if only keys can */
const caretToEnd = number => {
  const element = elementOf(number);
  // A mask has put it where it begins.
  if (element === null || element === wasEmpty) return true;
  if (selectIn[tagOf(element)]) {
    // Fields for numbers and the like have a caret, but do not say where it is.
    if (element.selectionEnd === null) return 'End';
    const end = textIn(element).length;
    element.setSelectionRange(end, end);
  } else if (isOwnEditor(element)) {
    return 'Control+End';
  } else if (isEdited(element)) {
    getSelection().selectAllChildren(element);
    getSelection().collapseToEnd();
  }
  return true;
};

/** How a text is compared: line ends are the browser's business, and so is white space in what is edited in place. */
const comparable = (element, text) => {
  const lines = text.replace(/\r\n?/g, '\n');
  if (tagOf(element) === 'textarea') return lines;
  if (tagOf(element) === 'input') return lines.replace(/\n/g, '');
  return lines.replace(/[\s\u200b]*\n[\s\u200b]*/g, '\n').replace(/[^\S\n]+/g, ' ').trim();
};

/**
 * Compares what the field holds with what it was given.
 * @param {string} text @returns {{same: boolean, unread?: boolean, changed?: boolean, held?: number, wanted?: number} | null} null if the field is gone
 */
const endFill = text => {
  if (filling === null || !isConnected(filling.element)) return null;
  const { element, before } = filling;
  filling.over = true;
  if (isOwnEditor(element)) return { same: true, unread: true };
  const now = textIn(element);
  const wanted = comparable(element, text);
  const held = comparable(element, now);
  // In one line, line ends are left out or become blanks.
  if (held === wanted || (tagOf(element) === 'input' && now === text.replace(/\r\n?|\n/g, ' '))) return { same: true };
  // What is cut to the same as before has been taken nevertheless.
  const changed = now !== before || (held !== '' && wanted.startsWith(held));
  return { same: false, changed, held: [...held].length, wanted: [...wanted].length };
};

/**
 * Whether a field that was filled is empty: some keep what is typed only if it is then chosen from their list. Others make a thing of its own
 * of it, beside the field.
 */
const isEmptied = (number, text) => {
  const element = elementOf(number);
  if (element === null || !isField(element) || textIn(element) !== '') return false;
  let around = element;
  for (let up = 0; up < 3; up++) {
    const outer = holderOf(around);
    if (outer === null || contains(outer, bodyOf(document))) break;
    around = outer;
  }
  return !flat(seenText(around)).toLowerCase().includes(flat(text).toLowerCase());
};

const isNumber = text => /^-?(\d+(\.\d+)?|\.\d+)(e[-+]?\d+)?$/i.test(text) && Number.isFinite(Number(text));
const isDate = text => {
  const [, year, month, day] = /^(\d{4,6})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  return year > 0 && month >= 1 && month <= 12 && day >= 1 && new Date(Date.UTC(2000 + (year % 400), month - 1, day)).getUTCDate() === Number(day);
};
const isTime = text => /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?$/.test(text);
/** ISO 8601: a year has a week 53 if it begins on a Thursday, or is a leap year that begins on a Wednesday. */
const isWeek = text => {
  const [, year, week] = /^(\d{4,6})-W(\d\d)$/.exec(text) ?? [];
  if (!(year > 0 && week >= 1 && week <= 53)) return false;
  const first = new Date(Date.UTC(2000 + (year % 400), 0, 1)).getUTCDay();
  const leap = new Date(Date.UTC(2000 + (year % 400), 1, 29)).getUTCDate() === 29;
  return week < 53 || first === 4 || (leap && first === 3);
};
/** Whether a value is written as a field of a kind wants it. Trying would make the browser write it to the console. */
const WELL_WRITTEN = {
  date: isDate,
  month: text => isDate(`${text}-01`),
  week: isWeek,
  time: isTime,
  'datetime-local': text => /[T ]/.test(text) && isDate(text.split(/[T ]/)[0]) && isTime(text.split(/[T ]/)[1]),
  color: text => /^#[0-9a-f]{6}$/i.test(text),
  number: isNumber,
  range: isNumber,
};

const formatOf = element => {
  const type = inputKind(element);
  if (type !== 'range') return FORMATS[type];
  const [min, max, step] = ['min', 'max', 'step'].map(name => attribute(element, name));
  return `a number from ${min || 0} to ${max || 100}${step === 'any' ? '' : ` in steps of ${step || 1}`}`;
};

/** How the text has to be written for this field, if it is not. @param {number} number @param {string} text @returns {string | null} */
const misfit = (number, text) => {
  const element = elementOf(number);
  if (element === null) return null;
  if (tagOf(element) !== 'input') return kindOfField(element) === 'slider' ? misfitOfSlider(element, text) : null;
  const type = inputKind(element);
  const test = WELL_WRITTEN[type];
  if (!test || test(text) || (text === '' && type !== 'range' && type !== 'color')) return null;
  return formatOf(element);
};

const misfitOfSlider = (element, text) => {
  const limit = (name, otherwise) => (isNumber(attribute(element, name) ?? '') ? Number(attribute(element, name)) : otherwise);
  const [min, max] = [limit('aria-valuemin', 0), limit('aria-valuemax', 100)];
  return isNumber(text) && Number(text) >= min && Number(text) <= max ? null : `a number from ${min} to ${max}`;
};

/** Where a slider stands that the page made. @returns {{now: number} | null} */
const sliderStand = number => {
  const now = attribute(elementOf(number) ?? documentElement(document), 'aria-valuenow');
  return now !== null && isNumber(now) ? { now: Number(now) } : null;
};

/**
 * Sets a field as a whole, with the events that it would send.
 * @returns {{problem?: string, format?: string, already?: boolean, invalid?: boolean}}
 */
const setWhole = (number, text) => {
  const element = elementOf(number);
  if (element === null) return { problem: 'gone' };
  const format = misfit(number, text);
  if (format !== null) return { problem: 'misfit', format };
  giveFocus(number);
  const before = inputText(element);
  setInputText.call(element, text);
  const now = inputText(element);
  const type = inputKind(element);
  const took = type === 'range' ? Number(now) === Number(text) : type === 'color' ? now.toLowerCase() === text.toLowerCase() : (now === '') === (text === '');
  if (!took) {
    setInputText.call(element, before);
    return { problem: 'misfit', format: formatOf(element) };
  }
  if (now === before) return { already: true };
  filling = { element, before };
  tellChange(element);
  return { invalid: !validityOf(element).valid };
};

/** Says of a control that it has been changed, as it does itself when a person changes it. */
const tellChange = element => {
  sendEvent.call(element, new InputEvent('input', { bubbles: true, composed: true }));
  sendEvent.call(element, new Event('change', { bubbles: true }));
};

/** Whether what was set as a whole is still there. @returns {boolean | null} null if the field is gone */
const keptWhole = () => {
  if (filling === null || !isConnected(filling.element)) return null;
  const { element, before } = filling;
  filling = null;
  return inputText(element) !== before;
};

/** What has the focus in this frame. */
const active = () => {
  const element = activeUnder(document);
  return element && { ...nameFor(element), frame: tagOf(element) === 'iframe' || tagOf(element) === 'frame', secret: isSecret(element) };
};

/** What an element is, for people. */
const named = number => {
  const element = elementOf(number);
  return element && nameFor(element);
};

/** A field that was empty when typing into it began: what is in it then came with the focus, and so did the caret. @type {Element | null} */
let wasEmpty = null;

/** Whether text can be typed into an element. @returns {string | null} why not */
const refusesText = number => {
  const element = elementOf(number);
  if (element === null) return 'gone';
  beginNames();
  const field = controlFor(element);
  const role = roleOf(field);
  if (isField(field) && isReadOnly(field, role, tagOf(field))) return 'readonly';
  wasEmpty = isField(field) && textIn(field) === '' ? field : null;
  return PRESSED.has(role) && !isEdited(field) ? 'pressed' : null;
};
/** Keys press or tick these; they hold no text. */
const PRESSED = new Set(['button', 'link', 'checkbox', 'radio', 'switch', 'menuitem', 'tab']);

/** Notes what is in the element that text is typed into next. */
const beginTyping = number => {
  const element = elementOf(number);
  const isRead = element !== null && (isField(element) || isEdited(element)) && !isOwnEditor(element);
  filling = isRead ? { element, before: textIn(element) } : null;
  return filling !== null;
};

/** Whether that is still the same, so that nothing came of the typing. Null if it cannot be told. */
const stillTheSame = () => {
  const noted = filling;
  filling = null;
  return noted !== null && isConnected(noted.element) ? textIn(noted.element) === noted.before : null;
};

Object.assign(api, { fieldFor, fillNow, giveFocus, beginFill, caretToEnd, endFill, isEmptied, sliderStand, setWhole, keptWhole, active, named, refusesText, beginTyping, stillTheSame });
