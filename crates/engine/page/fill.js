// Putting text into fields: which field an element means and of what kind it is, giving it the focus, and comparing what it holds then
// with what it was given. The text goes in here and never comes out again: only whether it is there, and how long what is there is.

const inputText = getter(HTMLInputElement.prototype, 'value');
const areaText = getter(HTMLTextAreaElement.prototype, 'value');
const shownText = getter(HTMLElement.prototype, 'innerText');
const selectIn = { input: HTMLInputElement.prototype.select, textarea: HTMLTextAreaElement.prototype.select };
const focusHtml = HTMLElement.prototype.focus;
const focusSvg = SVGElement.prototype.focus;

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
 * @returns {{number: number, kind: string, focusable: boolean, secret: boolean, misfit: string | null} | null}
 */
const fieldFor = (number, text) => {
  const element = elementOf(number);
  if (element === null) return null;
  beginNames();
  let field = controlFor(element);
  if (kindOfField(field) === 'none') field = controlBeside(element, control => kindOfField(control) !== 'none') ?? field;
  const kind = kindOfField(field);
  const secret = kind === 'text' && isSecret(field);
  return { number: numberOf(field), kind, focusable: kind === 'none' && isFocusable(field), secret, misfit: ['text', 'value', 'slider'].includes(kind) ? misfit(numberOf(field), text) : null };
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

/** Whether the focus is in what an element stands for; what is gone may have had it. @param {number} number */
const holdsFocus = number => {
  const element = elementOf(number);
  return element === null || hasFocus(element) || hasFocus(controlFor(element));
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
  // A page may make its fields anew when the one before is left.
  if (!giveFocus(number)) return { problem: isConnected(element) ? 'unfocused' : 'gone' };
  filling = { element, before: textIn(element) };
  selectAllIn(element);
  // A page may send the focus elsewhere a little later. Editors that keep a selection of their own hear of it a little later, too.
  if (timersLeft > 0) await timers(performance.now() + SOON);
  if (isEdited(element)) {
    await turn();
    await turn();
  }
  // A page that sends the focus elsewhere would get the text there.
  if (!hasFocus(element)) return { problem: isConnected(element) ? 'moved' : 'gone' };
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
 * @param {string} text @returns {{same: boolean, unread?: boolean, changed?: boolean, held?: number, wanted?: number, blank?: boolean, beside?: boolean, pattern?: string,
 *   alike?: boolean} | null} null if the field is gone; `blank`: it is empty, or shows only how it is to be filled, and nothing beside it has the text; `beside`: something has
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
  const isLeft = wanted !== '' && isField(element) && isVoid(element, now);
  const beside = isLeft && isShownAround(element, text);
  const blank = isLeft && !beside;
  const alike = lettersOf(held).includes(lettersOf(wanted)) && lettersOf(wanted) !== '';
  return { same: false, changed, held: [...held].length, wanted: [...wanted].length, blank, beside, pattern: shortName(placeholderOf(element)), alike };
};

/** Whether a field holds nothing now; null if it is gone. @param {number} number */
const isVoidNow = number => {
  const element = elementOf(number);
  return element && isField(element) && isVoid(element, textIn(element));
};

/** Whether a text in a field is none: some put their placeholder there, as a pattern to be filled. */
const isVoid = (element, text) => ['', flat(placeholderOf(element))].includes(flat(text.replace(MARKS, '')));
/** Marks of the direction of writing, which nobody sees. */
const MARKS = /[\u200e\u200f\u2066-\u2069]/g;
/** What a mask leaves of a text: it adds and takes away the rest. */
const lettersOf = text => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/**
 * Whether a field that was filled is empty: some keep what is typed only if it is then chosen from their list. Others make a thing of its own
 * of it, beside the field.
 */
const isEmptied = (number, text) => {
  const element = elementOf(number);
  return element !== null && isField(element) && textIn(element) === '' && !isShownAround(element, text);
};

/** Whether a text can be read close around a field. */
const isShownAround = (element, text) => {
  let around = element;
  for (let up = 0; up < 3; up++) {
    const outer = holderOf(around);
    if (outer === null || contains(outer, bodyOf(document))) break;
    around = outer;
  }
  return flat(seenText(around)).toLowerCase().includes(flat(text).toLowerCase());
};

/** What has the focus in this frame. */
const active = () => {
  beginLabels();
  const element = activeUnder(document);
  return element && { ...nameFor(element), frame: tagOf(element) === 'iframe' || tagOf(element) === 'frame', secret: isSecret(element) };
};

/** What an element is, for people. */
const named = number => {
  const element = elementOf(number);
  return element && nameFor(element);
};

Object.assign(api, { fieldFor, fillNow, giveFocus, holdsFocus, beginFill, caretToEnd, endFill, isVoidNow, isEmptied, active, named });
