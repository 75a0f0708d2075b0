// What is checked when a click arrives: that it lands in the element that was meant. Between aiming and clicking a page can move, cover or
// replace anything; a click that would land elsewhere is kept from the page, and nobody but us learns of it.

/**
 * @type {null | {meant: Element | null, verdict: string}} who may be clicked: nobody in this frame if `meant` is null.
 * The verdict is 'waiting' until the first press arrives; it holds for the events that follow.
 */
let guarded = null;

const PRESSES = new Set(['pointerdown', 'mousedown', 'touchstart']);

/** Whether something was clicked that is to be saved to a file. */
let savesFile = false;

/** prelude.js has put this before all listeners of the page. @param {Event} event */
globalThis.webhandGuard = event => {
  if (event.type === 'click' && event.composedPath().some(node => node instanceof HTMLAnchorElement && has(node, 'download'))) savesFile = true;
  if (guarded === null || !event.isTrusted) return;
  if (guarded.verdict === 'waiting' && PRESSES.has(event.type)) {
    guarded.verdict = judge(event, guarded.meant);
    globalThis.webhandTell?.(guarded.verdict);
  }
  if (guarded.verdict === 'missed') {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
};

const judge = (event, meant) => {
  if (meant === null || !isConnected(meant)) return 'missed';
  const hit = hitAt(event.clientX, event.clientY);
  if (hit === null) return 'missed';
  const label = isLabelable(meant) && !isThere(meant) ? [...meant.labels].find(isThere) : undefined;
  return landsIn(hit, label ?? meant, meant) === 'no' ? 'missed' : 'landed';
};

/** From now on only this element may be clicked in this frame; 0 for none. */
const guard = number => {
  guarded = { meant: number === 0 ? null : elementOf(number), verdict: 'waiting' };
  return true;
};

/** Everything may be clicked again. @returns {string} what became of the click: 'landed', 'missed', or 'waiting' if there was none */
const unguard = () => {
  const verdict = guarded?.verdict ?? 'waiting';
  guarded = null;
  return verdict;
};

/** Aims, and lets nothing else be clicked from then on, if it is for a click. */
const aimAndGuard = async (number, patience, needs) => {
  const spot = await aim(number, patience, needs);
  if (spot.problem === undefined) {
    if (needs.hit) guard(number);
    watchEffects();
    spot.named = nameFor(elementOf(number));
  }
  return spot;
};

/** Whether the pointer is over the element; null if that is gone. @param {number} number */
const isHovered = number => {
  const element = elementOf(number);
  return element && matches(element, ':hover');
};

Object.assign(api, { guard, unguard, aimAndGuard, isHovered });
