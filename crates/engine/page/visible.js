// What a person can see. Chromium's accessibility tree leaves out what is not rendered; this leaves out also what is rendered so that
// nobody can see it (transparent, clipped to nothing, moved off the page), since such text is there for machines to fall for.

/** Why an element is not shown. */
const HIDDEN_NOT_RENDERED = 1; // display: none and the like; with everything in it
const HIDDEN_INVISIBLE = 2; // visibility: hidden; what is in it may be visible again
const HIDDEN_CLIPPED = 3; // a box without width or height that shows nothing of what sticks out of it
const HIDDEN_SAID = 4; // aria-hidden, inert: only an attribute can change that

/** What never shows anything, whatever its style. */
const NEVER_SHOWN = new Set([
  'script', 'style', 'template', 'head', 'meta', 'link', 'title', 'base', 'noscript', 'param', 'source', 'track', 'datalist', 'col',
  'colgroup', 'defs', 'clipPath', 'mask', 'symbol', 'marker', 'linearGradient', 'radialGradient', 'filter', 'pattern', 'desc', 'metadata',
  'noembed', 'noframes', 'frameset', 'rp', 'wbr',
]);

/** A clip path that leaves nothing: an inset of half or more from each side, a circle or polygon without area. */
const CLIPS_ALL = /^(?:inset\((?:[5-9]\d|100)(?:\.\d+)?%|(?:circle|ellipse)\(0(?:px|%)?\b|polygon\((?:0(?:px|%)? 0(?:px|%)?(?:, )?)+\)|rect\(0)/;

/** A `clip` (only positioned elements have one) that leaves a pixel at most. */
const CLIP_RECT = /^rect\((-?[\d.]+)px,? (-?[\d.]+)px,? (-?[\d.]+)px,? (-?[\d.]+)px\)$/;
const clipsAll = clip => {
  const [, top, right, bottom, left] = CLIP_RECT.exec(clip) ?? [];
  return top !== undefined && (right - left <= 1 || bottom - top <= 1);
};

/** A transform that leaves a line or a point. */
const FLATTENS = /^matrix\((?:0, 0, |[^,]+, [^,]+, 0, 0, )/;

/**
 * Whether text in the element, by the element's own style, is such that nobody sees it.
 * The usual element costs four reads of its style here; boxes are only asked for where the style says that it may matter.
 * @param {Element} element @param {CSSStyleDeclaration} style @param {boolean} styled whether it has attributes at all
 */
const conceals = (element, style, styled) => {
  if (style.opacity === '0' || style.clipPath !== 'none' && CLIPS_ALL.test(style.clipPath)) return true;
  const { transform } = style;
  if (transform !== 'none' && FLATTENS.test(transform)) return true;
  const { position } = style;
  if (position === 'absolute' || position === 'fixed') {
    const { left, top, right, bottom } = boxOf(element);
    // Nothing can be scrolled to the left of the page or above it; what is fixed cannot be scrolled to at all.
    if (position === 'fixed') {
      if (right <= 0 || bottom <= 0 || left >= innerWidth || top >= innerHeight) return true;
    } else if (right + scrollX <= 0 || bottom + scrollY <= 0) {
      return true;
    }
    if (style.clip !== 'auto' && clipsAll(style.clip)) return true;
  }
  return styled && (style.fontSize === '0px' || parseFloat(style.textIndent) <= -500);
};

/** Whether the element shows nothing of what is in it, since its box has no room for any of it. */
const clipsToNothing = (element, overflow) => {
  if (overflow === 'visible') return false;
  const { width, height } = boxOf(element);
  return width === 0 || height === 0;
};

/** Whether the element is too small to be aimed at: the usual way to hide the real box behind a drawn one. */
const isTiny = element => {
  if (!isRendered(element)) return true;
  const { width, height, right, bottom } = boxOf(element);
  return width <= 1 || height <= 1 || right + scrollX <= 0 || bottom + scrollY <= 0 || styleOf(element).visibility !== 'visible';
};

/** Whether an element that was not shown for this reason still is not. */
const isStillHidden = (element, hidden) => {
  switch (hidden) {
    case HIDDEN_NOT_RENDERED:
      return !isRendered(element);
    case HIDDEN_INVISIBLE:
      return styleOf(element).visibility !== 'visible';
    case HIDDEN_CLIPPED:
      return clipsToNothing(element, styleOf(element).overflowX);
    default:
      return true;
  }
};
