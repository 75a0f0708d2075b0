// Why elements are not in the snapshot. Chromium's accessibility tree leaves out what is not rendered; this leaves out also what is
// rendered so that nobody can see it, since such text is there for machines to fall for. A control stays even then: pages hide the real
// box behind a drawn one.

const HIDDEN_NOT_RENDERED = 1; // display: none and the like; with everything in it
const HIDDEN_INVISIBLE = 2; // visibility: hidden; what is in it may be visible again
const HIDDEN_CLIPPED = 3; // a box without width or height that shows nothing of what sticks out of it
const HIDDEN_SAID = 4; // aria-hidden, inert: only an attribute can change that
const HIDDEN_CONCEALED = 5; // text in it cannot be seen; controls in it are shown

/** What never shows anything, whatever its style. */
const NEVER_VISITED = new Set([
  'script', 'style', 'template', 'head', 'meta', 'link', 'title', 'base', 'noscript', 'param', 'source', 'track', 'datalist', 'col',
  'colgroup', 'defs', 'clipPath', 'mask', 'symbol', 'marker', 'linearGradient', 'radialGradient', 'filter', 'pattern', 'desc', 'metadata',
  'noembed', 'noframes', 'rp', 'wbr',
]);

/** Whether nobody can see text in the element. @param {Element} element @param {CSSStyleDeclaration} style @param {number} shape */
const conceals = (element, style, shape) => {
  if (shape & SHAPE_OPACITY && isTransparent(style)) return true;
  if (shape & SHAPE_CLIP && isClippedAway(style)) return true;
  if (!(shape & (SHAPE_PLACE | SHAPE_OVERFLOW))) return false;
  if (shape & SHAPE_PLACE && isFarOut(style)) return true;
  if (!(shape & SHAPE_PLACE) && style.overflowX === 'visible') return false;
  const box = boxOf(element);
  return !isInReach(box) && isNowhere(element, style, box, reachAt(element));
};

/** Whether the element shows nothing of what is in it, since its box has no room for any of it. */
const clipsToNothing = (element, style) => {
  if (style.overflowX === 'visible') return false;
  const { width, height } = boxOf(element);
  if (width !== 0 && height !== 0) return false;
  // The overflow of the root and the body is that of the window, and only boxes clip.
  const { display } = style;
  const isWindow = element === bodyOf(document) || element === documentElement(document);
  return display !== 'inline' && display !== 'contents' && !isWindow && !isOwnEditor(element);
};

/** Whether the element is too small to be aimed at: the usual way to hide the real box behind a drawn one. */
const isTiny = element => {
  if (!isRendered(element) || styleOf(element).visibility !== 'visible') return true;
  const { width, height, right, bottom } = boxOf(element);
  return width <= 1 || height <= 1 || right + scrollX <= 0 || bottom + scrollY <= 0;
};

/** Whether the element is a single pixel. One without any size may still be loading. */
const isPixel = element => {
  const { width, height } = boxOf(element);
  return width <= 1 && height <= 1 && width + height > 0;
};

/** What is larger than this, in either direction, is no small part that was only drawn for the mouse. */
const LARGEST_PART = 64;
/** How many elements there may be in it. */
const MOST_IN_PART = 12;

/**
 * What a mouse can use of an element with aria-hidden: itself, or buttons in it. Pages say nothing of such parts to those who do not see them, as
 * keys do the same: the cross of a chip, the arrows of a number. Only what is small, can be seen, and waits for clicks by itself.
 * @param {Element} element @param {Memory} memory @returns {Element[]}
 */
const mouseParts = (element, memory) => {
  if (!memory.listens && !isButton(element) && firstElementIn(element) === null) return NOTHING;
  if (!isSmall(element)) return NOTHING;
  if (isMousePart(element)) return isClickable(element) ? [element] : NOTHING;
  const inside = select(element, '*');
  if (inside.length > MOST_IN_PART) return NOTHING;
  return [...inside].filter(part => isMousePart(part) && isSmall(part) && isClickable(part));
};
const isMousePart = element => (memoryOf(element).listens || isButton(element)) && !FIELD_TAGS.has(tagOf(element));
const isButton = element => (tagOf(element) === 'button' || attribute(element, 'role') === 'button') && !has(element, 'disabled');
const isSmall = element => {
  const { width, height } = boxOf(element);
  return width >= 4 && height >= 4 && width <= LARGEST_PART && height <= LARGEST_PART;
};
/** Whether it can be seen and, where one can tell, nothing lies above it: all that a dialog keeps from use has aria-hidden as well. */
const isClickable = element => {
  const style = styleOf(element);
  if (style.visibility !== 'visible' || style.pointerEvents === 'none') return false;
  for (let at = element; at; at = holderOf(at)) if (isTransparent(styleOf(at))) return false;
  const { left, top, width, height } = boxOf(element);
  const [x, y] = [left + width / 2, top + height / 2];
  if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return true;
  const hit = elementFromPoint[nodeType(rootOf(element))]?.call(rootOf(element), x, y) ?? null;
  return hit !== null && element.contains(hit);
};
/** What is written on it: a sign at most. */
const mouseName = element => {
  const name = flat(attribute(element, 'aria-label') ?? attribute(element, 'title') ?? textContent(element));
  return name.length <= 40 ? name : '';
};

/** Whether an element that was not shown for this reason still is not. */
const isStillHidden = (element, hidden) => {
  switch (hidden) {
    case HIDDEN_NOT_RENDERED:
      return !isRendered(element);
    case HIDDEN_INVISIBLE:
      return styleOf(element).visibility !== 'visible';
    case HIDDEN_CLIPPED:
      return clipsToNothing(element, styleOf(element));
    case HIDDEN_CONCEALED:
      return conceals(element, styleOf(element), SHAPE_ALL);
    default:
      return true;
  }
};
