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

/** How far one can scroll back to where the element is. @param {Element} element @returns {Reach} */
const reachAt = element => {
  let reach = reachOfPage();
  for (let at = holderOf(element); at; at = holderOf(at)) reach = reachInside(at, reach);
  return reach;
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
