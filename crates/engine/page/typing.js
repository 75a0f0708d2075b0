// Typing: whether an element takes text, which keys reach the page, and what came of them. Keys are sent many at a time, and a page may take the
// focus away after any of them; those that come later are kept from the page, which would take them for shortcuts.

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

/**
 * What is typed into, what was in it, and what came of it so far; the element is null if the keys go to no field that can be read.
 * @type {{element: Element | null, before: string, wasChanged: boolean, isElsewhere: boolean, end: () => void} | null}
 */
let typing = null;

/** Notes what is in the element that text is typed into next, and what comes of it. @param {number | null} number null if no element has the focus */
const beginTyping = number => {
  const element = number === null ? null : elementOf(number);
  const isRead = element !== null && (isField(element) || isEdited(element)) && !isOwnEditor(element);
  typing?.end();
  const noted = { element: isRead ? element : null, before: isRead ? textIn(element) : '', wasChanged: false, isElsewhere: false };
  const note = records => (noted.isElsewhere ||= records.some(({ target }) => element === null || !(target === element || contains(element, target))));
  const observer = new MutationObserver(note);
  // Where no field has the focus, any sign will do.
  observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: element === null });
  const hear = () => (noted.wasChanged = true);
  addEventListener('input', hear, true);
  noted.end = () => {
    note(observer.takeRecords());
    observer.disconnect();
    removeEventListener('input', hear, true);
    typing = null;
  };
  typing = noted;
  if (element !== null) guardKeys();
  return isRead;
};

/**
 * What came of the typing. Keys go everywhere again.
 * @returns {{came: 'kept' | 'taken' | 'nothing' | null, stopped: {keys: number, why: string} | null}} `taken`: the field is as before, but the page has
 *   made something of the text; null if it cannot be told
 */
const endTyping = () => {
  const stopped = endKeys();
  return { came: endNoting(), stopped };
};

const endNoting = () => {
  const noted = typing;
  if (noted === null) return null;
  noted.end();
  const { element, before, wasChanged, isElsewhere } = noted;
  if (element === null) return isElsewhere || wasChanged ? 'taken' : 'nothing';
  if (!isConnected(element)) return null;
  if (textIn(element) !== before) return 'kept';
  return wasChanged && isElsewhere ? 'taken' : 'nothing';
};

/**
 * What keys are for while a text is typed.
 * @type {null | {meant: Element | null, isText: boolean, taken: number, follows: boolean, last: string, held: string, sending: SubmitEvent | null, stopped: {keys: number, why: string} | null}} `meant`:
 *   what has the focus; `taken`: how many keys the page got; `follows`: the last one was there to move the focus
 */
let keys = null;
const MODIFIER_KEYS = new Set(['Shift', 'Control', 'Alt', 'Meta']);
const MOVING_KEYS = new Set(['Tab', 'F6']);

/** From now on keys are only for what has the focus, and for fields that the page moves it to. */
const guardKeys = () => {
  // As for clicks: a document that is written anew has lost its listeners.
  for (const type of globalThis.webhandKeyed) addEventListener(type, globalThis.webhandKeyRelay, { capture: true, passive: false });
  // Not in every page at all times: one that hangs could not be left.
  addEventListener('beforeunload', leaves, true);
  addEventListener('submit', notesSubmit, true);
  const meant = activeUnder(document);
  keys = { meant, isText: meant !== null && takesTyping(meant), taken: 0, follows: false, last: '', held: '', sending: null, stopped: null };
  return true;
};

/** What kept keys from the page, if anything did. Keys go everywhere again. @returns {{keys: number, why: string} | null} */
const endKeys = () => {
  const stopped = keys?.stopped ?? null;
  removeEventListener('beforeunload', leaves, true);
  removeEventListener('submit', notesSubmit, true);
  keys = null;
  return stopped;
};

const takesTyping = element => ['text', 'editable', 'value'].includes(kindOfField(element));

/** Whether a key that comes now is for what it was meant for. */
const isForFocus = () => {
  const active = activeUnder(document);
  if (active === null) return false;
  if (keys.follows) {
    keys.meant = active;
    keys.isText = takesTyping(active);
    return true;
  }
  if (keys.meant !== null && hasFocus(keys.meant)) return true;
  // Fields for one character each pass the focus on, and so do cells: they take the next text in the next cell when Enter is pressed.
  return takesTyping(active) || ((!keys.isText || keys.last === 'Enter') && !PRESSED.has(roleOf(active)));
};

/** Keeps all further keys from the page, and tells the engine how many it got. */
const stopKeys = why => {
  keys.stopped = { keys: keys.taken, why };
  globalThis.webhandTell?.(`keys:${keys.taken}`);
};

/** Whether another part of the text may come: one that no key writes. It counts as a key. */
const takesText = () => {
  if (keys === null) return true;
  if (keys.stopped === null && isSent(keys.sending)) stopKeys('leaves');
  if (keys.stopped === null && !isForFocus()) stopKeys(whyLeft());
  if (keys.stopped !== null) return false;
  keys.follows = false;
  keys.taken++;
  return true;
};
const whyLeft = () => (keys.meant !== null && !isConnected(keys.meant) ? 'gone' : 'left');

/** A form that is sent leads elsewhere a little later. */
const notesSubmit = event => keys !== null && (keys.sending = event);
const isSent = submit => submit !== null && !submit.defaultPrevented && !/^dialog$/i.test(attribute(submit.target, 'method') ?? '') && ['', '_self', '_parent', '_top'].includes(attribute(submit.target, 'target') ?? '');

/** A page that is on its way elsewhere gets no more keys. */
const leaves = () => keys !== null && keys.stopped === null && stopKeys('leaves');

/** prelude.js has put this before all listeners of the page. @param {KeyboardEvent} event */
globalThis.webhandKeys = event => {
  if (keys === null || !event.isTrusted) return;
  if (event.type === 'keydown' && !MODIFIER_KEYS.has(event.key)) {
    if (takesText()) {
      keys.last = event.key;
      keys.held = event.code;
      keys.follows = MOVING_KEYS.has(event.key);
      return;
    }
  }
  // The last key that the page got may be let go of after the focus has gone.
  const isRelease = event.type === 'keyup' && event.code === keys.held;
  if (isRelease) keys.held = '';
  if (keys.stopped === null || isRelease) return;
  event.preventDefault();
  event.stopImmediatePropagation();
};

Object.assign(api, { refusesText, beginTyping, endTyping, guardKeys, endKeys, takesText });
