// What changed since the last look, so that looking again costs what changed and not what is there.
//
// Mutation records tell most of it. What no record tells is looked up: fields' values, the focus, and elements that a style alone
// showed or hid (a hover, a media query, a style sheet that came late). That last check has a time budget and goes on where it
// stopped, so on a page of many thousand elements such a change may be told a few looks later.

/** More marks than this are not kept: the next look goes through the whole page instead. */
const MOST_MARKS = 10_000;
/** How long the check of elements that no record told of may take, in milliseconds; in passing it ends with `LEAST`. */
const CHECK_MS = 3;
/** How many of them are checked in any case: on a busy computer the time may be over before anything has been done. */
const LEAST = 512;
/** How many elements before and after the one that was used are checked in any case: styles show and hide what is near. */
const NEAR = 100;
const WITH_STYLE = { visibilityProperty: true };

/** Elements that are not shown, each the outermost one. @type {Set<Element>} */
const hiddenOnes = new Set();
/** Custom elements that no script has defined yet: they may get a shadow root without a record. @type {Set<Element>} */
const undefinedOnes = new Set();
/** Fields: their values change without a record. @type {Set<Element>} */
const fields = new Set();

let everythingStale = true;
/** Whether an aria-owns may have come, gone or changed. */
let ownersStale = true;
/** Elements that were put into the page. @type {Element[]} */
let fresh = [];
/** How many there may be before those are left out that went again. */
const FEW_FRESH = 500;
let mostFresh = FEW_FRESH;
let marks = 0;
let watching = false;

/** @param {Element} element @param {1 | 2} much */
const mark = (element, much) => {
  if (++marks > MOST_MARKS) {
    // A page that changes for ever must not fill the memory.
    stopWatching();
    return;
  }
  const memory = memoryOf(element);
  memory.stale = Math.max(memory.stale, much);
  for (let at = parentShown(element, memory); at; ) {
    const above = memoryOf(at);
    // What is inside something hidden changes nothing that is shown.
    if (above.hidden === HIDDEN_NOT_RENDERED || above.hidden === HIDDEN_CLIPPED || above.hidden === HIDDEN_SAID) return;
    if (above.stale) return;
    above.stale = 1;
    at = parentShown(at, above);
  }
};

/** Watches no more until the next look, which is at everything. */
const stopWatching = () => {
  everythingStale = true;
  fresh = [];
  observer.disconnect();
  observer.takeRecords();
  watching = false;
};

/** @param {Element} element @param {Memory} memory @returns {Element | null} */
const parentShown = (element, memory) => {
  if (memory.parent) return memory.parent;
  const parent = parentNode(element);
  if (!parent) return null;
  return nodeType(parent) === 11 ? hostOf(parent) : nodeType(parent) === 1 ? parent : null;
};

/** @param {Element} element */
const addFresh = element => {
  fresh.push(element);
  if (fresh.length <= mostFresh) return;
  // What left the page again must not be kept until the next look, which may never come.
  fresh = fresh.filter(isConnected);
  mostFresh = 2 * fresh.length + FEW_FRESH;
};

const takeIn = records => {
  for (const { type, target, addedNodes, attributeName } of records) {
    if (everythingStale) return;
    const element = nodeType(target) === 1 ? target : nodeType(target) === 11 ? hostOf(target) : parentNode(target);
    if (type === 'attributes') {
      if (attributeName === 'aria-owns') ownersStale = true;
      mark(target, 2);
    } else if (element && nodeType(element) === 1) {
      // What is put into an element with a shadow root is shown somewhere in that root.
      mark(element, shadowRootOf(element) ? 2 : 1);
      for (const added of addedNodes) {
        if (nodeType(added) !== 1) continue;
        mark(added, 2);
        addFresh(added);
      }
    } else if (element && nodeType(element) === 11) {
      // Text that lies in a shadow root directly.
      if (hostOf(element)) mark(hostOf(element), 1);
    } else if (!element || target === document) {
      everythingStale = true;
    }
  }
};
const observer = new MutationObserver(records => {
  if (prepared) unprepare();
  else takeIn(records);
  announce();
});
const WATCHED = { subtree: true, childList: true, attributes: true, characterData: true };
/** Shadow roots are watched one by one. @type {WeakSet<Node>} */
let watched = new WeakSet();

/** @param {Document | ShadowRoot} root */
const watch = root => {
  if (watched.has(root)) return;
  watched.add(root);
  observer.observe(root, WATCHED);
};

/** What a field holds, as far as it is told. */
const fieldState = field => {
  const type = field.type;
  if (type === 'checkbox' || type === 'radio') return `${field.checked}${field.indeterminate}`;
  if (type === 'select-multiple') return Array.from(field.options, option => Number(option.selected)).join('');
  return type === 'password' ? '' : `${field.selectedIndex ?? ''} ${field.value}`;
};

/** The element that has the focus, in whatever shadow root. */
const focused = () => activeUnder(document);

const dialogs = Document.prototype.getElementsByTagName.call(document, 'dialog');
/** The dialog that makes everything else inert, if one is open. @returns {Element | null} */
const openModal = () => {
  if (dialogs.length === 0) return null;
  const open = select(document, 'dialog:modal');
  const focus = focused();
  for (let at = open.length - 1; at > 0; at--) if (open[at].contains(focus)) return open[at];
  return open[open.length - 1] ?? null;
};

/** Elements that were moving at the last look: what they looked like then says little. @type {Set<Element>} */
let moving = new Set();
let lastFocused = null;
let lastModal = null;
let lastSheets = '';
let checkedFrom = 0;

// Asking for the window's size would cost a layout.
addEventListener('resize', () => (everythingStale = true), true);

/** Marks everything that changed since the last look. */
const findChanges = () => {
  takeIn(observer.takeRecords());
  const modal = openModal();
  const { styleSheets, adoptedStyleSheets } = document;
  const sheets = `${styleSheets.length} ${adoptedStyleSheets.length}`;
  if (modal !== lastModal || sheets !== lastSheets) everythingStale = true;
  lastModal = modal;
  lastSheets = sheets;
  if (!everythingStale) {
    const focus = focused();
    if (focus !== lastFocused) for (const element of [focus, lastFocused]) if (element && isConnected(element)) mark(element, 1);
    for (const field of fields) {
      if (!isConnected(field)) fields.delete(field);
      else if (fieldState(field) !== memoryOf(field).state) mark(standInOf(field) ?? field, 2);
    }
    for (const element of undefinedOnes) {
      if (isConnected(element) && !matches(element, ':defined')) continue;
      undefinedOnes.delete(element);
      if (isConnected(element)) mark(element, 2);
    }
    checkHidden();
    checkShown();
    for (const element of moving) if (element && isConnected(element)) mark(element, 2);
    if (marks > 0) {
      for (const element of namedElsewhere) {
        if (isConnected(element)) mark(element, 1);
        else namedElsewhere.delete(element);
      }
    }
  }
  if (everythingStale || !watching) {
    everythingStale = true;
    watched = new WeakSet();
    forgetHosts();
    hiddenOnes.clear();
    undefinedOnes.clear();
    fields.clear();
    namedElsewhere.clear();
    watching = true;
  }
  watch(document);
  lastFocused = focused();
  marks = 0;
};

const checkHidden = () => {
  const end = performance.now() + CHECK_MS;
  let count = 0;
  for (const element of hiddenOnes) {
    if (!isConnected(element)) hiddenOnes.delete(element);
    else if (!isStillHidden(element, memoryOf(element).hidden)) mark(element, 2);
    if (++count % 64 === 0 && count >= LEAST && performance.now() > end) {
      // Those that were looked at go to the end of the line.
      for (const seen of [...hiddenOnes].slice(0, count)) hiddenOnes.delete(seen), hiddenOnes.add(seen);
      return;
    }
  }
};

const wasShown = ({ shown, hidden }) => shown !== null && hidden === 0;
/** Some elements are shown without being rendered by themselves. */
const hasBox = element => !WITHOUT_BOX.has(tagOf(element)) && styleOf(element).display !== 'contents';
const WITHOUT_BOX = new Set(['option', 'optgroup', 'area', 'map']);

/** Elements that were shown and are not any more, or have a shadow root now, although nothing in the document changed. */
const checkShown = () => {
  const end = performance.now() + (inPassing ? 0 : CHECK_MS);
  if (used > 0) for (let number = used - NEAR; number <= used + NEAR; number++) checkOne(elements.get(number));
  used = 0;
  let count = 0;
  for (let tried = numbersBefore; tried < lastNumber; tried++) {
    checkedFrom = checkedFrom >= lastNumber || checkedFrom < numbersBefore ? numbersBefore + 1 : checkedFrom + 1;
    if (checkOne(elements.get(checkedFrom)) && ++count % 64 === 0 && count >= LEAST && performance.now() > end) return;
  }
};

/** @returns {boolean} whether there was something to check */
const checkOne = element => {
  if (!element || !wasShown(memoryOf(element))) return false;
  const root = openRoot(element);
  if (root !== null && !watched.has(root)) {
    mark(element, 2);
  } else if (!checkVisibility.call(element, WITH_STYLE) && hasBox(element)) {
    memoryOf(element).odd = true;
    mark(element, 2);
  }
  return true;
};
