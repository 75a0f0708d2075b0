// What a person can see. Computed styles say most of it; boxes are asked only where a style lets an element be nowhere.

const scrollLeftOf = getter(Element.prototype, 'scrollLeft');
const scrollTopOf = getter(Element.prototype, 'scrollTop');
const assignedSlotOf = getter(Element.prototype, 'assignedSlot');

/** Elements that never show their content, or show something else. */
const NEVER_SHOWN = new Set(
  'script style noscript template head title meta link base datalist canvas video audio object embed param source track map area'.split(' '),
);

/** @param {CSSStyleDeclaration} style @returns {boolean} whether `clip` or `clip-path` leaves nothing of the box */
const isClippedAway = style => {
  if (style.clip !== 'auto') {
    const [top, right, bottom, left] = style.clip.match(/-?[\d.]+|auto/g) ?? [];
    if (bottom - top <= 1 || right - left <= 1) return true;
  }
  const path = style.clipPath;
  if (path === 'none') return false;
  if (/^(circle|ellipse)\(0(px|%)?[ )]/.test(path)) return true;
  const inset = /^inset\(([^)]*)\)/.exec(path)?.[1].split(' round ')[0].match(/[\d.]+%/g);
  if (inset) {
    const [top, right = top, bottom = top, left = right] = inset.map(parseFloat);
    return top + bottom >= 100 || left + right >= 100;
  }
  const points = /^polygon\((.*)\)$/.exec(path)?.[1].split(',').map(point => point.trim());
  return points !== undefined && points.every(point => point === points[0]);
};

/**
 * How far the page can still be scrolled back to the left and to the top, from where it is: what lies beyond cannot be reached.
 * @typedef {{x: number, y: number}} Reach
 */
const reachOfPage = () => {
  const root = document.scrollingElement ?? document.documentElement;
  // A page that is written from right to left goes on to the left.
  const behind = root && styleOf(root).direction === 'rtl' ? root.scrollWidth - root.clientWidth : 0;
  return { x: scrollX + behind, y: scrollY };
};

/** @param {Element} element @param {Reach} reach @returns {Reach} the same inside the element */
const reachInside = (element, reach) => {
  const left = scrollLeftOf(element);
  const top = scrollTopOf(element);
  // What the window itself is scrolled by is counted already.
  if ((!left && !top) || element === document.scrollingElement) return reach;
  return { x: left < 0 ? Infinity : reach.x + left, y: reach.y + top };
};

/** How far one can scroll back to where the element is. @param {Element} element @returns {Reach} */
const reachAt = element => {
  let reach = reachOfPage();
  for (let at = holderOf(element); at; at = holderOf(at)) reach = reachInside(at, reach);
  return reach;
};

/**
 * Whether the element itself makes all that is in it invisible. `visibility` does not: what is inside can be visible again.
 * Most elements have a box where it can be seen, which is one question instead of ten.
 * @param {Element} element @param {CSSStyleDeclaration} style @param {Reach} reach @returns {boolean}
 */
const isGone = (element, style, reach) => {
  const box = boxOf(element);
  return (!isInReach(box) && isNowhere(element, style, box, reach)) || isTransparent(style) || isClippedAway(style) || isFarOut(style);
};

/** A margin that pulls the text out of the window, while the box still reaches into it. @type {(style: CSSStyleDeclaration) => boolean} */
const isFarOut = style => parseFloat(style.marginLeft) <= -2000 || parseFloat(style.marginTop) <= -2000;

/** @type {(style: CSSStyleDeclaration) => boolean} */
const isTransparent = ({ opacity, filter }) => (opacity !== '1' && opacity < 0.01) || (filter !== 'none' && /opacity\(0%?\)/.test(filter));

/** @type {(box: DOMRect) => boolean} whether a box is large enough, and where one can see it at once or by scrolling on */
const isInReach = ({ width, height, left, top, right, bottom }) =>
  width > 1 && height > 1 && right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;

/** Whether a box that is tiny or out of the window's corner cannot be seen, and nothing that sticks out of it. */
const isNowhere = (element, style, box, reach) => {
  const { display } = style;
  if (display === 'none' || display === 'contents') return display === 'none';
  if (style.overflowX !== 'visible' && (box.width <= 1 || box.height <= 1)) {
    // The overflow of these two is that of the window.
    return display !== 'inline' && element !== document.body && element !== document.documentElement && !isOwnEditor(element);
  }
  if (!box.width || !box.height) {
    return FLATTENS.test(style.transform) || (!box.width && !box.height && (style.transform !== 'none' || style.scale !== 'none'));
  }
  // What is fixed cannot be scrolled to.
  if (style.position === 'fixed') return box.right <= 0 || box.bottom <= 0 || box.left >= innerWidth || box.top >= innerHeight;
  return box.right + reach.x <= 0 || box.bottom + reach.y <= 0;
};

/** A transform that leaves a line or a point. */
const FLATTENS = /^matrix\((?:0, 0, |[^,]+, [^,]+, 0, 0, )/;

/** @param {CSSStyleDeclaration} style @returns {boolean} whether text directly in such an element is drawn where one can see it */
const showsText = style => style.visibility === 'visible' && !hidesText(style);
/**
 * Whether text is drawn with no size, no colour, or somewhere else. What is inside may say otherwise for itself.
 * @type {(style: CSSStyleDeclaration) => boolean}
 */
const hidesText = style =>
  parseFloat(style.fontSize) < 2 ||
  parseFloat(style.textIndent) <= -150 ||
  (NO_COLOUR.test(style.webkitTextFillColor) && style.backgroundClip !== 'text') ||
  style.webkitTextSecurity !== 'none';
const NO_COLOUR = /^rgba\(.*, 0\)$|\/ 0\)$|^transparent$/;

/** @param {Element} element @param {CSSStyleDeclaration} style @returns {Node[]} what is in it as it is laid out: shadow roots, slots */
const flatChildren = (element, style) => {
  const root = shadowRootOf(element) ?? element;
  const tag = tagOf(element);
  if (!firstChild(root) && tag !== 'slot') return [];
  if (style.contentVisibility === 'hidden') return [];
  if (tag === 'slot') {
    const assigned = assignedNodes.call(element);
    if (assigned.length) return assigned;
  }
  const children = [];
  for (let child = firstChild(root); child; child = nextSibling(child)) children.push(child);
  if (tag !== 'details' || has(element, 'open')) return children;
  const summary = children.find(child => nodeType(child) === 1 && tagOf(child) === 'summary');
  return summary ? [summary] : [];
};

/** Characters that show nothing and are not part of a visible one: controls, and Unicode's tags outside of flags. */
const UNSEEN = /[\u0000-\u0008\u000b\u000e-\u001f\u007f]|(?<!\u{1f3f4}[\u{e0000}-\u{e007f}]*)[\u{e0000}-\u{e007f}]/gu;
const MAY_BE_UNSEEN = /[\u0000-\u0008\u000b\u000e-\u001f\u007f\udb40]/;
/** @type {(text: string) => string} */
const withoutUnseen = text => (MAY_BE_UNSEEN.test(text) ? text.replace(UNSEEN, '') : text);

/** What is in these is a value, not a text. */
const WITH_VALUE = new Set(['input', 'select', 'textarea']);

/** @param {Element} element @returns {string} the text in it that can be seen, in one line; the element itself is taken to be seen */
const seenText = (element, reach = reachOfPage()) => {
  const parts = [];
  const walk = (node, style) => {
    let shows;
    for (const child of flatChildren(node, style)) {
      if (nodeType(child) === 3) {
        const text = data(child);
        if (/\S/.test(text) && (shows ??= showsText(style))) parts.push(text);
        else parts.push(' ');
        continue;
      }
      if (nodeType(child) !== 1 || NEVER_SHOWN.has(tagOf(child)) || WITH_VALUE.has(tagOf(child))) continue;
      const inner = styleOf(child);
      if (isGone(child, inner, reach)) continue;
      const isApart = inner.display !== 'inline' && inner.display !== 'contents';
      if (isApart || tagOf(child) === 'br') parts.push(' ');
      walk(child, inner);
      if (isApart) parts.push(' ');
    }
  };
  walk(element, styleOf(element));
  return flat(withoutUnseen(parts.join('')));
};

/** Asks of many elements whether they can be seen; what was found out about their ancestors is kept. */
const makeSeer = () => {
  const reach = reachOfPage();
  const known = new Map();
  const isWithinGone = element => {
    const chain = [];
    let at = element;
    let gone = false;
    for (; at && !known.has(at); at = holderOf(at)) chain.push(at);
    if (at) gone = known.get(at);
    for (const link of chain.reverse()) {
      gone = gone || isGone(link, styleOf(link), reach);
      known.set(link, gone);
    }
    return gone;
  };
  return element =>
    isRendered(element) && styleOf(element).visibility === 'visible' && hasArea(element) && !isWithinGone(element);
};

/** @param {Element} element @returns {boolean} whether it takes up room, or something that sticks out of it does */
const hasArea = element => {
  const { width, height } = boxOf(element);
  if (width && height) return true;
  return flatChildren(element, styleOf(element)).some(child => nodeType(child) === 1 && hasArea(child));
};

/** @param {Element} element @returns {Element | null} the element around it, as it is laid out */
const holderOf = element => {
  const parent = assignedSlotOf(element) ?? parentNode(element);
  if (!parent) return null;
  return nodeType(parent) === 1 ? parent : nodeType(parent) === 11 ? parent.host ?? null : null;
};
