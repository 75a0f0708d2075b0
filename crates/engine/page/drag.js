// Dragging: what came of it in this frame. Which kind of dragging it is, the page decides.

/** @type {{start: DragEvent | null, over: DragEvent | null, drop: DragEvent | null}} the last events of each kind */
let drags = { start: null, over: null, drop: null };

/** prelude.js has put this before all listeners of the page. @param {DragEvent} event */
globalThis.webhandDrag = event => {
  if (!event.isTrusted) return;
  if (event.type === 'dragstart') drags.start = event;
  else if (event.type === 'dragover') drags.over = event;
  else drags.drop = event;
};

/** From now on it is noted. */
const watchDrags = () => {
  drags = { start: null, over: null, drop: null };
  return true;
};

/** Whether the browser is dragging something, whether it may be dropped here, and whether it was; an event remembers what became of it. */
const dragged = () => ({
  started: drags.start !== null && !drags.start.defaultPrevented,
  welcome: drags.over !== null && drags.over.defaultPrevented,
  dropped: drags.drop !== null,
});

/**
 * Where something can be dropped in an element.
 * @param {number} number
 * @param {'wait' | 'now' | 'bring'} how 'wait': until it can be hit, scrolled to if need be; 'now': as it is, without scrolling; 'bring': only
 *   scrolled to, since what is being dragged may be above it
 * @param {number} patience milliseconds
 */
const aimToDrop = async (number, how, patience) => {
  if (how === 'wait') return aim(number, patience, { hit: true, drop: true });
  const element = elementOf(number);
  if (element === null) return { problem: 'gone' };
  if (!isThere(element)) return { problem: 'invisible' };
  if (how === 'now') return spotFor(element, element, { drop: true });
  scrollToElement.call(element, { block: 'center', inline: 'center', behavior: 'instant' });
  await seen();
  const { left, top, width, height } = boxOf(element);
  return { x: left + width / 2, y: top + height / 2 };
};

/** Where a point of a frame is in this one, as everything is now. @param {number} number the element that holds the frame */
const throughNow = (number, x, y) => {
  const frame = elementOf(number);
  if (frame === null) return { problem: 'gone' };
  const box = boxOf(frame);
  const [right, down] = insetOf(frame);
  const scale = frame.offsetWidth > 0 ? box.width / frame.offsetWidth : 1;
  const spot = { x: box.left + (right + x) * scale, y: box.top + (down + y) * scale };
  return hitAt(spot.x, spot.y) === frame ? spot : { problem: 'covered' };
};

/**
 * How long nothing may change until things are at rest, in milliseconds: lists that have made room hear nothing for a moment, and libraries
 * that follow the pointer look at it by a timer of 50 ms.
 */
const AT_REST = 80;

/** Waits until what made room for what is dragged has come to rest. @param {number} longest milliseconds */
const comesToRest = async longest => {
  const end = performance.now() + longest;
  const left = () => Math.max(0, end - performance.now());
  while (left() > 0 && ((await changesWithin(Math.min(AT_REST, left()))) || isMoving())) if (isMoving()) await nextFrame();
  return true;
};
/** Whether styles move anything that will end. */
const isMoving = () => documentAnimations.call(document).some(({ playState, effect }) => playState === 'running' && effect?.getComputedTiming().endTime < Infinity);
const documentAnimations = Document.prototype.getAnimations;

/** The next frame, when what was done before it has been drawn. */
const drawn = async () => (await nextFrame(), true);

const attributesOf = getter(Element.prototype, 'attributes');
const previousElement = getter(Element.prototype, 'previousElementSibling');
/** Elements whose content is not in the document: what dragging does there cannot be seen from here. */
const OPAQUE = 'canvas, iframe, frame, object, embed, video';

/**
 * Where what is dragged stands: its corner in the page, what it is in and after what, and the nearest thing around it that has a role.
 * Null if it is gone or has no place. @param {number} number
 */
const dragStand = number => {
  const element = elementOf(number);
  if (element === null || !isThere(element)) return null;
  const { left, top } = boxOf(element);
  const parent = holderOf(element);
  const previous = previousElement(element);
  let around = parent;
  while (around !== null && ['generic', 'none', 'presentation', ''].includes(roleOf(around))) around = holderOf(around);
  return {
    corner: [Math.round(left + scrollX), Math.round(top + scrollY)],
    place: [parent === null ? 0 : numberOf(parent), previous === null ? 0 : numberOf(previous)],
    around: around === null ? null : nameFor(around),
    opaque: matches(element, OPAQUE) || select(element, OPAQUE).length > 0,
  };
};

/**
 * A number for what this document is like: elements, texts, attributes, values, what was scrolled and what was loaded. What libraries leave behind on
 * elements that they have dragged does not count.
 */
const documentSeal = () => {
  let seal = 5381;
  const add = text => {
    for (let at = 0; at < text.length; at++) seal = (Math.imul(seal, 33) ^ text.charCodeAt(at)) >>> 0;
    seal = Math.imul(seal, 33) >>> 0;
  };
  for (const element of everythingIn(document)) {
    add(tagOf(element));
    for (const { name, value } of attributesOf(element)) {
      if (name !== 'draggable' && !((name === 'class' || name === 'style') && value.trim() === '')) add(`${name}=${value}`);
    }
    if (isField(element)) add(`${textIn(element)} ${element.checked === true}`);
    for (let child = firstChild(element); child; child = nextSibling(child)) if (nodeType(child) === 3) add(data(child));
    if (scrollTopOf(element) || scrollLeftOf(element)) add(`${scrollTopOf(element)} ${scrollLeftOf(element)}`);
  }
  add(`${performance.getEntriesByType('resource').length}`);
  return seal;
};

Object.assign(api, { watchDrags, dragged, aimToDrop, throughNow, comesToRest, drawn, dragStand, documentSeal });
