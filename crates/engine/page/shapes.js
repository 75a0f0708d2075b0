// What a rule of a style sheet can change about whether and how its elements are seen. Asking for a computed value costs more than all
// the rest that is read of an element; so only those are asked for that a rule may have set.

const SHAPE_DISPLAY = 1;
const SHAPE_VISIBILITY = 2;
const SHAPE_CURSOR = 4;
const SHAPE_OVERFLOW = 8;
const SHAPE_CLIP = 16;
const SHAPE_OPACITY = 32;
const SHAPE_PLACE = 64; // it may be moved out of sight
const SHAPE_TEXT = 128; // its text may be drawn with no size, no colour, or elsewhere
const SHAPE_CONTENT = 256;
const SHAPE_ALL = 511;

/** @type {Map<string, number>} */
const SHAPING_PROPERTIES = new Map(Object.entries({
  display: SHAPE_DISPLAY, float: SHAPE_DISPLAY, position: SHAPE_DISPLAY, visibility: SHAPE_VISIBILITY, cursor: SHAPE_CURSOR,
  'overflow-x': SHAPE_OVERFLOW, 'overflow-y': SHAPE_OVERFLOW, clip: SHAPE_CLIP, 'clip-path': SHAPE_CLIP, opacity: SHAPE_OPACITY,
  filter: SHAPE_OPACITY, transform: SHAPE_PLACE, translate: SHAPE_PLACE, scale: SHAPE_PLACE, 'content-visibility': SHAPE_CONTENT,
  '-webkit-text-security': SHAPE_TEXT, 'animation-name': SHAPE_ALL, all: SHAPE_ALL,
}));
/** Properties that hide only with some values, or with values that only the browser can work out. @type {Map<string, [number, RegExp]>} */
const HIDING_VALUES = new Map(Object.entries({
  'font-size': [SHAPE_TEXT, /^[01]?(?:\.\d+)?px$|^0|^\.|var\(|calc\(|clamp\(|min\(/],
  'text-indent': [SHAPE_TEXT, /-\d|var\(|calc\(/],
  '-webkit-text-fill-color': [SHAPE_TEXT, /./],
  color: [SHAPE_TEXT, /^transparent$|^rgba\(.*, 0\)$|\/ 0%?\)$/],
  'margin-left': [SHAPE_PLACE, /^-|calc\(/],
  'margin-top': [SHAPE_PLACE, /^-|calc\(/],
}));
for (const side of ['left', 'top', 'right', 'bottom', 'inset-inline-start', 'inset-inline-end']) {
  HIDING_VALUES.set(side, [SHAPE_PLACE, /^-|%|\d{3}|var\(|calc\(/]);
}

/** @param {CSSStyleDeclaration} style what a rule says @returns {number} what of that matters */
const shapesIn = style => {
  let shapes = 0;
  for (let at = 0; at < style.length; at++) {
    const property = style[at];
    shapes |= SHAPING_PROPERTIES.get(property) ?? 0;
    const hiding = HIDING_VALUES.get(property);
    if (hiding !== undefined && hiding[1].test(style.getPropertyValue(property))) shapes |= hiding[0];
  }
  return shapes;
};

/** What elements may be shaped, by what their rules' selectors end in. @typedef {{class: Map<string, number>, id: Map<string, number>,
 *  tag: Map<string, number>, attributes: Map<number, string>, any: number}} Shapes */
/** @returns {Shapes} */
const newShapes = () => ({ class: new Map(), id: new Map(), tag: new Map(), attributes: new Map(), any: 0 });
/** @param {Shapes} shapes @param {string} selector @param {number} which */
const addShape = (shapes, selector, which) => {
  const [kind, name] = keyOf(selector);
  if (kind === 'any') shapes.any |= which;
  else if (kind === 'attributes') shapes.attributes.set(which, shapes.attributes.has(which) ? `${shapes.attributes.get(which)},${selector}` : selector);
  else shapes[kind].set(name, (shapes[kind].get(name) ?? 0) | which);
};
