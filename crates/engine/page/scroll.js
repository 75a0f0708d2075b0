// Scrolling the page or an area in it: to the pixel and at once, whatever the page says about scrolling smoothly.

const scrollHeightOf = getter(Element.prototype, 'scrollHeight');
const scrollWidthOf = getter(Element.prototype, 'scrollWidth');
const clientHeightOf = getter(Element.prototype, 'clientHeight');
const clientWidthOf = getter(Element.prototype, 'clientWidth');
const scrollingElementOf = getter(Document.prototype, 'scrollingElement');
const scrollAreaTo = Element.prototype.scrollTo;

/** Further than any page goes. */
const FAR = 1e9;

/**
 * @typedef {object} Way
 * @property {'x' | 'y'} axis
 * @property {1 | -1} sign 1: down or to the right
 * @property {number} [pixels] how far
 * @property {number} [percent] or how much of what is visible; to the end if neither is said
 */

/** The area that was scrolled last. @type {Element | null} */
let scrolledArea = null;

const rootArea = () => scrollingElementOf(document) ?? documentElement(document);

/** Where an area is, and where it can go, along an axis. What is written from right to left, or from the bottom up, begins at 0 and goes below. */
const extentOf = (area, axis) => {
  const [at, range] =
    axis === 'y'
      ? [scrollTopOf(area), scrollHeightOf(area) - clientHeightOf(area)]
      : [scrollLeftOf(area), scrollWidthOf(area) - clientWidthOf(area)];
  const isReversed = at < 0 || (axis === 'x' && styleOf(area).direction === 'rtl');
  return { at, from: isReversed ? -range : 0, to: isReversed ? 0 : range };
};

/** @type {(area: Element, axis: 'x' | 'y') => string} how it treats what does not fit; a page goes by its root element, or by its body */
const overflowOf = (area, axis) => {
  const overflow = element => styleOf(element)[axis === 'y' ? 'overflowY' : 'overflowX'];
  if (area !== rootArea()) return overflow(area);
  const own = overflow(documentElement(document));
  const body = bodyOf(document);
  const whole = own === 'visible' && body ? overflow(body) : own;
  return whole === 'visible' ? 'auto' : whole;
};

/** Whether an element's overflow is that of the window: the root's is, and the body's unless the root has one of its own (CSS Overflow 3, section 3.3). */
const isWindow = element =>
  element === documentElement(document) || (element === bodyOf(document) && (element === rootArea() || styleOf(documentElement(document)).overflowY === 'visible'));

/** What scrolls when the page is scrolled: the window, or a body that scrolls by itself. */
const pageArea = () => {
  const body = bodyOf(document);
  return body !== null && !isWindow(body) && ['auto', 'scroll'].includes(overflowOf(body, 'y')) ? body : rootArea();
};

/** Whether there is something to scroll in an element. One that only scripts scroll counts if it is the one that was named. */
const isArea = (element, axis, isNamed) => {
  const overflow = overflowOf(element, axis);
  if (overflow !== 'auto' && overflow !== 'scroll' && !(overflow === 'hidden' && isNamed)) return false;
  const { from, to } = extentOf(element, axis);
  return to - from >= 1;
};

/** The areas around an element, the innermost first and the page last. @returns {Element[]} */
const areasAround = (element, axis) => {
  const areas = [];
  const root = rootArea();
  for (let at = element; at && at !== root; at = holderOf(at)) {
    if (!isWindow(at) && isArea(at, axis, at === element)) areas.push(at);
  }
  if (isArea(root, axis, false)) areas.push(root);
  return areas;
};

const canGo = (area, { axis, sign }) => {
  const { at, from, to } = extentOf(area, axis);
  return sign > 0 ? to - at >= 1 : at - from >= 1;
};

const twoDigits = number => Math.round(number * 100) / 100;

/** How much is left of an area to the right and below. */
const leftOf = area => {
  const left = axis => {
    const { at, to } = extentOf(area, axis);
    return Math.max(0, twoDigits(to - at));
  };
  return { left_x: left('x'), left_y: left('y') };
};

/**
 * Scrolls the nearest area around an element that can go this way.
 * @param {number} number the element; 0 for the page, or the area in the middle of one that does not scroll itself
 * @param {Way} way
 */
const scrollFrom = async (number, way) => {
  const element = number === 0 ? pageArea() : elementOf(number);
  if (element === null) return { problem: 'gone' };
  let areas = areasAround(element, way.axis);
  const inside = number === 0 && areas.length === 0;
  if (inside) areas = areasAround(hitAt(innerWidth / 2, innerHeight / 2), way.axis);
  if (areas.length === 0) return { problem: 'nothing' };
  const area = areas.find(area => canGo(area, way));
  scrolledArea = area ?? areas[0];
  const said = { named: [rootArea(), bodyOf(document)].includes(scrolledArea) ? undefined : nameFor(scrolledArea), inside };
  if (!area) return { problem: 'end', ...said };
  const size = way.axis === 'y' ? clientHeightOf(area) : clientWidthOf(area);
  const far = way.sign * (way.pixels ?? (way.percent === undefined ? FAR : (size * way.percent) / 100));
  const [x, y] = [scrollLeftOf(area), scrollTopOf(area)];
  watchEffects();
  scrollAreaTo.call(area, { left: x + (way.axis === 'x' ? far : 0), top: y + (way.axis === 'y' ? far : 0), behavior: 'instant' });
  await seen();
  return { x: twoDigits(scrollLeftOf(area) - x), y: twoDigits(scrollTopOf(area) - y), ...said };
};

/** How long a page is waited for that draws nothing, since nobody sees it; in milliseconds. */
const LONGEST_UNSEEN = 1000;

/**
 * Waits until the page has noticed. Its listeners, and its observers of what comes into view, are called with the frame that is drawn next;
 * an observer of our own is called with them.
 */
const seen = async () => {
  await new Promise(resolve => {
    const observer = new IntersectionObserver(() => {
      observer.disconnect();
      resolve();
    });
    observer.observe(documentElement(document));
    setTimeout(resolve, LONGEST_UNSEEN);
  });
  await turn();
};

/** Scrolls an element into view, unless it is there. What is around this frame may scroll along. @param {number} number */
const bringIntoView = async number => {
  const element = elementOf(number);
  if (element === null) return { problem: 'gone' };
  if (!isThere(element)) return { problem: 'invisible' };
  watchEffects();
  scrolledArea = areasAround(holderOf(element), 'y')[0] ?? rootArea();
  const box = boxOf(element);
  if (!isInView(element, box)) {
    scrollToElement.call(element, { block: box.height > innerHeight ? 'start' : 'center', inline: 'nearest', behavior: 'instant' });
    await seen();
  }
  return { named: nameFor(element) };
};

/** Scrolls the page to a point of it, if that is out of view. @returns {[number, number]} where the point is in the window then */
const pointIntoView = async (x, y) => {
  const isOut = x < scrollX || y < scrollY || x >= scrollX + innerWidth || y >= scrollY + innerHeight;
  if (isOut) {
    scrollTo({ left: x - innerWidth / 2, top: y - innerHeight / 2, behavior: 'instant' });
    await seen();
  }
  return [x - scrollX, y - scrollY];
};

/** @param {number} number @returns {[number, number]} where an element is in this frame's window */
const placeOf = number => {
  const element = elementOf(number);
  const { left, top } = element ? boxOf(element) : { left: 0, top: 0 };
  return [twoDigits(left), twoDigits(top)];
};

/** Whether as much of a box is in view as can be. */
const isInView = (element, box) => {
  const shows = (top, bottom, from, to) => Math.min(bottom, to) - Math.max(top, from) >= Math.min(bottom - top, to - from) - 1;
  const isIn = clip => shows(box.top, box.bottom, clip.top, clip.bottom) && shows(box.left, box.right, clip.left, clip.right);
  for (let at = holderOf(element); at; at = holderOf(at)) {
    const isRoot = at === documentElement(document) || at === bodyOf(document);
    if (!isRoot && (styleOf(at).overflowX !== 'visible' || styleOf(at).overflowY !== 'visible') && !isIn(boxOf(at))) return false;
  }
  return isIn({ top: 0, left: 0, bottom: innerHeight, right: innerWidth });
};

/** What is left of the area that was scrolled last; of the page if there was none. */
const leftNow = () => leftOf(scrolledArea !== null && isConnected(scrolledArea) ? scrolledArea : pageArea());

/** Over when the next frame is drawn and the page has heard of it. */
const whenDrawn = () => nextFrame().then(() => new Promise(done => setTimeout(done, 0, true)));

Object.assign(api, { whenDrawn, scrollFrom, bringIntoView, pointIntoView, placeOf, leftNow });
