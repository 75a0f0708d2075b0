// What the engine asks for: the snapshot of this frame, or what changed in it since the one that the engine has.

let generation = 0;
let rootLine = '';
/** Whether somebody only wants to know what an action changed: what no record tells of and hardly ever changes is then looked for in a smaller part. */
let inPassing = false;

/**
 * @param {number} known the generation that the engine has; 0 for none
 * @param {boolean} passing whether this is a look in passing
 * @returns {string} a header (generation, whether this is everything, this frame's place in its parent, how many elements may have a
 *   closed shadow root, the last number that was given to an element), then a line for each node that is new or different
 */
const snapshot = (known, passing) => {
  inPassing = passing;
  const ready = prepared;
  prepared = null;
  try {
    const whole = known === 0 && ready ? tellPrepared(ready) : takeSnapshot(known);
    return `${generation}\t${whole ? 1 : 0}\t${placeInParent()}\t${candidates.size}\t${lastNumber}\n${lines.join('\n')}`;
  } catch (error) {
    // What was marked may be marked no more: next time everything is looked at.
    everythingStale = true;
    generation++;
    throw error;
  }
};

const all = Document.prototype.getElementsByTagName.call(document, '*');
/** The lines of a look that was taken before anybody asked; null if there is none. @type {string[] | null} */
let prepared = null;

/**
 * Looks at a page that has just loaded, while nobody waits for it: soon somebody will. A large page is left alone: the look might be in the
 * way of something else, and a change without a record might be found late.
 */
const prepare = () => {
  if (generation > 0 || document.readyState !== 'complete' || all[LEAST]) return;
  inPassing = false;
  takeSnapshot(0);
  prepared = lines;
};

/** The page changed, or was asked something else: then it is as if nobody had looked. */
const unprepare = () => {
  prepared = null;
  forgetNumbers();
  stopWatching();
};

/** Tells what was seen then if it is so still; if not, all is looked at as for the first time. */
const tellPrepared = ready => {
  takeSnapshot(generation);
  if (lines.length === 0) {
    lines = ready;
    return true;
  }
  forgetNumbers();
  return takeSnapshot(0);
};

/** Lines for what is new or different since a generation that somebody has. @returns {boolean} whether that is everything */
const takeSnapshot = known => {
  if (known !== generation || known === 0) everythingStale = true;
  beginNames();
  findChanges();
  const whole = everythingStale;
  lines = [];
  putOff = [];
  depth = 0;
  if (whole) sweepElements();
  beginPlain();
  findListeners();
  if (whole || ownersStale || owners.size > 0 || fresh.some(mayOwn)) findOwners();
  findAround();
  const entries = [];
  const html = documentElement(document);
  if (html) visit(html, null, lastModal ? OUTSIDE : 0, whole, entries);
  while (putOff.length > 0) putOff.pop()();
  if (!inPassing) askHostsAgain();
  const line = `0\tdocument\t${flat(titleOf(document))}${childFields(entries)}`;
  if (whole || line !== rootLine) lines.push(line);
  rootLine = line;
  everythingStale = false;
  marks = 0;
  fresh = [];
  generation++;
  return whole;
};

const mayOwn = element => has(element, 'aria-owns') || select(element, '[aria-owns]').length > 0;

const findOwners = () => {
  ownersStale = false;
  const before = owners;
  owners = new Map();
  for (const owner of select(document, '[aria-owns]')) {
    // A field shows nothing that it owns; the list of a combobox stays where it is.
    if (CLOSED.has(tagOf(owner))) continue;
    for (const id of attribute(owner, 'aria-owns').split(/\s+/)) {
      const owned = id && document.getElementById(id);
      // Nothing owns itself or what it hangs in, and the first owner counts.
      if (owned && !owners.has(owned) && !hangsIn(owner, owned)) owners.set(owned, owner);
    }
  }
  for (const element of new Set([...before.keys(), ...owners.keys()])) {
    if (before.get(element) !== owners.get(element) && isConnected(element)) {
      mark(element, 2);
      for (const owner of [before.get(element), owners.get(element), parentNode(element)]) if (owner && nodeType(owner) === 1) mark(owner, 1);
    }
  }
};

/** Whether an element is another one or hangs in it, by the tree and by the owners so far. */
const hangsIn = (element, other) => {
  for (let at = element; at; at = owners.get(at) ?? parentNode(at) ?? at.host) if (at === other) return true;
  return false;
};

const findAround = () => {
  around = null;
  if (!lastModal) return;
  around = new Set();
  for (let at = lastModal; at; at = parentNode(at) ?? at.host) around.add(at);
};

/** Which of its parent's frames this one is; -1 if it is the page itself or cannot be told. */
const placeInParent = () => {
  if (parent !== window) for (let at = 0; at < parent.length; at++) if (parent[at] === window) return at;
  return -1;
};

/**
 * Boxes of all nodes, in this frame's own viewport: number, left, top, width, height. A frame's box is that of what is in it.
 * @param {boolean} inSight only those that are not covered by something else, or scrolled out of sight
 */
const boxes = inSight => {
  const written = [];
  for (const [number, element] of elements) {
    if (memoryOf(element).shown !== number || !isConnected(element)) continue;
    const { left, top, width, height } = boxOf(element);
    if (inSight && !isHit(element, left + width / 2, top + height / 2)) continue;
    const [right, down] = tagOf(element) === 'iframe' ? insetOf(element) : [0, 0];
    written.push([number, left + right, top + down, width, height].map(Math.round).join(' '));
  }
  return written.join('\n');
};

/** Whether a point of the window is the element's, or that of something in it or around it; a label's point is its field's. */
const isHit = (element, x, y) => {
  const hit = elementFromPoint[nodeType(rootOf(element))]?.call(rootOf(element), x, y) ?? null;
  if (hit === null) return false;
  return element.contains(hit) || hit.contains(element) || shadowRootOf(element) !== null || (tagOf(hit) === 'label' && hit.control === element);
};

/** Where one element is, scrolled into view if it is not; for a frame, where what is in it begins. */
const reveal = (number, inside) => {
  const element = elementOf(number);
  if (!element) return null;
  scrollIntoView.call(element);
  const { left, top, width, height } = boxOf(element);
  const [right, down] = inside ? insetOf(element) : [0, 0];
  return [left + right, top + down, width, height];
};
const scrollIntoView = Element.prototype.scrollIntoViewIfNeeded;

/** How far the page is scrolled, and how large its window is. */
const viewport = () => [scrollX, scrollY, innerWidth, innerHeight];
const pixelRatio = () => devicePixelRatio;

/** Some of the elements that may have a closed shadow root. */
const mayBeHosts = () => {
  // Custom elements first: they are the ones that have roots.
  const waiting = [...candidates].filter(isConnected).sort((a, b) => tagOf(b).includes('-') - tagOf(a).includes('-'));
  const some = waiting.slice(0, 64);
  candidates.clear();
  for (const element of waiting.slice(64)) candidates.add(element);
  for (const element of some) memoryOf(element).asked = matches(element, ':defined');
  return some;
};

/** Makes an element a node of the snapshot, though it may mean nothing by itself. @returns {boolean} false if it is gone */
const pin = number => {
  const element = elementOf(number);
  if (!element) return false;
  memoryOf(element).pinned = true;
  mark(element, 1);
  return true;
};

/** A closed shadow root has been found. */
const adopt = (host, root) => {
  closedRoots.set(host, root);
  mark(host, 2);
};

/** Questions that leave a look that was taken in advance as it is; the first two then use it. */
const KEEPS_PREPARED = new Set(['snapshot', 'snapshotAtRest', 'loadIsOver']);

/**
 * To be called first, with what is called next.
 * @param {number} taken elements of the pages before had the numbers up to this one
 * @param {string} question
 */
const after = (taken, question) => {
  if (prepared && !KEEPS_PREPARED.has(question)) unprepare();
  if (lastNumber === 0) lastNumber = numbersBefore = taken;
  return api;
};

Object.assign(api, { after, prepare, snapshot, boxes, reveal, viewport, pixelRatio, pin, mayBeHosts, adopt });
