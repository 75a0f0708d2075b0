// What is checked when a click arrives: that it lands in the element that was meant. Between aiming and clicking a page can move, cover or
// replace anything; a click that would land elsewhere is kept from the page, and nobody but us learns of it.

/**
 * @type {null | {meant: Element | null, verdict: string, pressed?: Event, box?: DOMRect, telling?: Event, held?: boolean, heard?: boolean, clicked?: boolean, captured?: boolean, lost?: boolean, acted?: boolean, looks?: string, promise?: {is: string, now: (x: number, y: number) => string}, records?: MutationRecord[], watching?: MutationObserver}} who may be
 * clicked: nobody in this frame if `meant` is null. The verdict is 'waiting' until the first press arrives; it holds for the events that follow.
 */
let guarded = null;

const PRESSES = new Set(['pointerdown', 'mousedown', 'touchstart']);
const CLICKS = new Set(['click', 'auxclick', 'dblclick', 'contextmenu']);

/** Whether something was clicked that is to be saved to a file. */
let savesFile = false;
/** A link that is not in the page; see saves-main.js. */
addEventListener('__WEBHAND_SAVES__', () => (savesFile = true), true);

/** prelude.js has put this before all listeners of the page. @param {Event} event */
globalThis.webhandGuard = event => {
  if (event.type === 'click' && event.composedPath().some(node => node instanceof HTMLAnchorElement && has(node, 'download'))) savesFile = true;
  if (guarded === null || !event.isTrusted) return;
  if (guarded.verdict === 'waiting' && PRESSES.has(event.type)) {
    guarded.verdict = safely(event, guarded.meant);
    globalThis.webhandTell?.(guarded.verdict);
    if (guarded.verdict === 'landed') watchLoss(guarded, event);
  }
  guarded.telling = event;
  // An element that captured the pointer gets the click, wherever the pointer is.
  if (event.type === 'pointerup') guarded.captured = hasCapture(event);
  if (event.type === 'mouseup') release(guarded, event);
  if (CLICKS.has(event.type) && breaksPromise(guarded, event)) {
    guarded.verdict = 'changed';
    globalThis.webhandTell?.(guarded.verdict);
  }
  const isElsewhere = event.type === 'click' && goesElsewhere(guarded, event);
  // What was pressed must be told that it was released; but then it has not been clicked, and nothing else has been.
  if (isElsewhere || guarded.verdict === 'missed' || (['lost', 'changed'].includes(guarded.verdict) && CLICKS.has(event.type))) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
};

/** Whether the click would now do something else than what was judged, or allowed by somebody. Of several in a row the first one tells. */
const breaksPromise = ({ promise, verdict, clicked }, event) => {
  if (promise === undefined || verdict !== 'landed' || clicked) return false;
  try {
    return promise.now(event.clientX, event.clientY) !== promise.is;
  } catch {
    return true;
  }
};

/**
 * Whether the click goes to what is around the element, since the browser found nothing of it there at the press or the release: a picture
 * that is yet to come, for example. By the time that these are judged it may be there again.
 */
const hasCapture = event => event.composedPath().some(node => node instanceof Element && capturesPointer.call(node, event.pointerId));
const capturesPointer = Element.prototype.hasPointerCapture;
const goesElsewhere = (press, event) => {
  const isFirst = !press.clicked;
  press.clicked = true;
  if (!isFirst || press.held || press.acted || press.captured || press.verdict !== 'landed' || press.meant === null) return false;
  const [target] = event.composedPath();
  if (!(target instanceof Element) || !isAround(target, press.meant) || safely(event, press.meant) === 'landed') return false;
  // The page never hears of this click, so it can be tried again.
  press.verdict = 'missed';
  globalThis.webhandTell?.(press.verdict);
  return true;
};

/**
 * A page that makes its elements anew may do so between press and release: then the press has been seen and no click comes of it. An element
 * that goes while the page is told of the press has been used: the page acted on the press itself.
 */
const watchLoss = (press, event) => {
  press.pressed = event;
  press.box = boxOf(press.meant);
  press.looks = looksPressed(press.meant);
  press.watching = new MutationObserver(records => {
    press.acted = true;
    press.records = (press.records ?? []).concat(records.slice(0, MOST_RECORDS));
    if (isConnected(press.meant)) return;
    press.lost = press.telling.eventPhase === Event.NONE;
    press.watching.disconnect();
  });
  const everything = { subtree: true, childList: true, attributes: true, characterData: true };
  for (let inside = press.meant; inside; inside = hostOf(rootOf(inside))) press.watching.observe(rootOf(inside), everything);
};

/** How many changes are looked at. */
const MOST_RECORDS = 50;
const looksPressed = element => {
  beginNames();
  beginStates();
  const role = roleOf(element);
  return JSON.stringify([tagOf(element), role, nameOf(element, role), statesOf(element, role).filter(state => state !== 'active')]);
};

/**
 * Whether all that came of the press is another element that looks the same, in the same place: then neither has been clicked, and whether the
 * press was enough shows nowhere.
 */
const isMadeAnew = ({ meant, verdict, looks, records }, event) => {
  if (verdict !== 'landed' || meant === null || isConnected(meant)) return false;
  const hit = hitAt(event.clientX, event.clientY);
  const isIn = (nodes, inner) => [...nodes].some(node => nodeType(node) === 1 && contains(node, inner));
  const place = records[0]?.target;
  if (hit === null || !records.every(({ type, target }) => type === 'childList' && target === place)) return false;
  if (!records.some(record => isIn(record.removedNodes, meant)) || !records.some(record => isIn(record.addedNodes, hit))) return false;
  for (let at = hit; at && at !== place; at = holderOf(at)) if (looksPressed(at) === looks) return true;
  return false;
};

const release = (press, event) => {
  const records = press.watching?.takeRecords() ?? [];
  if (records.length) press.acted = true;
  press.records = (press.records ?? []).concat(records.slice(0, MOST_RECORDS));
  press.watching?.disconnect();
  const { pressed } = press;
  // Of several clicks in a row the first one tells: after that the page has something to react to.
  press.pressed = undefined;
  if (pressed === undefined || press.held) return;
  if (press.lost) press.verdict = 'lost';
  else if (isMadeAnew(press, event)) press.verdict = 'renewed';
  else if (press.verdict === 'landed' && hasSlipped(press, event)) press.verdict = 'slipped';
  else return;
  globalThis.webhandTell?.(press.verdict);
};

/**
 * Whether the press moved the element away from under the pointer, so that no click comes of it: a message that appears when a field loses
 * the focus, for example. What the press put over the element is another matter: then the press was what the page waited for. So it was if
 * the page changed anything and the element is no longer there; but a style alone can leave nothing of it for a moment, when the picture
 * for what is pointed at is yet to come.
 */
const hasSlipped = ({ meant, box, acted }, event) => {
  // Where the pointer was caught, the event goes elsewhere, but the pointer is in its place.
  const hit = hitAt(event.clientX, event.clientY);
  if (!isConnected(meant) || judge(event, meant) === 'landed' || judge(event, meant, hit) === 'landed') return false;
  const now = boxOf(meant);
  const moved = Math.abs(now.left - box.left) > 1 || Math.abs(now.top - box.top) > 1;
  if (moved && spotIn(meant, meant).problem === undefined) return true;
  return !acted && hit !== null && isAround(hit, meant);
};

/** Whether one element is around another, shadow roots included. */
const isAround = (outer, inner) => {
  for (let at = holderOf(inner); at; at = holderOf(at)) if (at === outer) return true;
  return false;
};

/** What cannot be judged has not landed. */
const safely = (event, meant) => {
  try {
    return judge(event, meant);
  } catch {
    return 'missed';
  }
};

/** What an event is sent to. By the time that we hear of it something else may be there; but it is not told what is in closed shadow roots. */
const hitBy = event => {
  const [target] = event.composedPath();
  return target instanceof Element && shadowRootOf(target) === null ? target : hitAt(event.clientX, event.clientY);
};

const judge = (event, meant, hit = hitBy(event)) => {
  if (meant === null || !isConnected(meant)) return 'missed';
  if (hit === null) return 'missed';
  const label = isLabelable(meant) && (!isThere(meant) || isSpeck(meant)) ? [...meant.labels].find(isThere) : undefined;
  const landing = landsIn(hit, isOwnEditor(meant) ? shownAround(meant) ?? meant : label ?? meant, meant);
  if (landing === 'no') return standInsOf(meant).some(other => landsIn(hit, other, meant) === 'yes') ? 'landed' : 'missed';
  return landing === 'nested' && isOwnEditor(meant) ? 'missed' : 'landed';
};

/** Notes that the pointer reached this frame at all: Chromium drops input while it closes a prompt of its own, or before the first frame. */
const hearMove = event => {
  if (guarded !== null && event.isTrusted) guarded.heard = true;
};
const MOVES = ['pointermove', 'mousemove'];

/** From now on only this element may be clicked in this frame; 0 for none. */
const guard = (number, held = false) => {
  for (const type of MOVES) addEventListener(type, hearMove, { capture: true, passive: true });
  // A document that is written anew (`document.open`) has lost its listeners; those that are there already are not added twice.
  for (const type of globalThis.webhandGuarded) addEventListener(type, globalThis.webhandRelay, { capture: true, passive: false });
  guarded = { meant: number === 0 ? null : elementOf(number), verdict: 'waiting', held };
  return true;
};

/** The same for what somebody allowed to be clicked at a point: only that, and only as it is now. @returns {boolean} whether it is there */
const guardAllowed = number => {
  const now = () => promised(intentOf(number, null), true);
  if (elementOf(number) === null) return false;
  guard(number);
  guarded.promise = { is: now(), now };
  return true;
};

/** Everything may be clicked again. @returns {string} what became of the click: 'landed', 'missed', 'lost', 'renewed', 'slipped', 'changed', 'waiting' if there was none, or 'unheard' if not even the pointer came */
const unguard = () => {
  const verdict = guarded?.verdict === 'waiting' && !guarded.heard ? 'unheard' : guarded?.verdict ?? 'waiting';
  for (const type of MOVES) removeEventListener(type, hearMove, { capture: true });
  guarded?.watching?.disconnect();
  guarded = null;
  return verdict;
};

/** Aims, and lets nothing else be clicked from then on, if it is for a click. */
const aimAndGuard = async (number, patience, needs) => {
  const spot = await aim(number, patience, needs);
  if (spot.problem === undefined) {
    if (needs.hit) guard(number, needs.held);
    watchEffects();
    spot.named = nameFor(elementOf(number));
    // What is hit may only stand for the element, which then does what it does.
    if (needs.intent) {
      spot.intent = intentOfBoth(number, spot.x, spot.y);
      const now = (x, y) => promised(intentOfBoth(number, x, y), needs.bound);
      guarded.promise = { is: promised(spot.intent, needs.bound), now };
    }
    if (needs.begin) spot.begun = await api[needs.begin](number);
  }
  return spot;
};

/** What the pointer is over. In quirks mode a bare `:hover` matches links alone (Quirks Mode Standard, section 3.1). */
const HOVERED = ':is(:hover)';

/** Whether the pointer is over the element; null if that is gone. @param {number} number */
const isHovered = number => {
  const element = elementOf(number);
  if (element === null || matches(element, HOVERED)) return element && true;
  if (tagOf(element) === 'area') return pictureOf(element)?.matches(HOVERED) ?? false;
  const under = [...select(document, HOVERED)].at(-1);
  if (under === undefined) return false;
  return isLaidOver(under, element, styleOf(element).pointerEvents === 'none') || standInsOf(element).some(other => matches(other, HOVERED));
};

/** What an element is like, for those who wait for it to be otherwise; null if it is gone. @param {number} number */
const condition = number => {
  const element = elementOf(number);
  if (element === null) return null;
  beginStates();
  const role = roleOf(element);
  const checked = checkedState(element, role, tagOf(element)) === true || isTrue(element, 'aria-pressed');
  return { visible: isThere(element), disabled: isDisabled(element, role, tagOf(element)) === true, checked };
};

Object.assign(api, { guard, guardAllowed, unguard, aimAndGuard, isHovered, condition });
