// What is known of an element's style without asking. Most elements of a page are plain in most respects: no rule of any style sheet
// could have changed them, so they are what the browser makes of their tag, and otherwise like the element around them.

/** How plain elements are laid out, by the browser's own style sheet. */
const PLAIN = new Map();
const layOut = (display, tags) => tags.split(' ').forEach(tag => PLAIN.set(tag, display));
layOut('block', `html body div p ul ol dl dt dd section article header footer main nav aside figure figcaption blockquote address pre h1 h2 h3
  h4 h5 h6 form hgroup search`.replace(/\s+/g, ' '));
layOut('list-item', 'li');
layOut('inline', 'span b i em strong small code kbd samp var cite q s u sub sup mark abbr time dfn ins del bdi bdo br data');
layOut('inline', 'a label');
layOut('inline-block', 'button input select textarea');
layOut('table', 'table');
layOut('table-row', 'tr');
layOut('table-row-group', 'tbody thead tfoot');
layOut('table-cell', 'td th');
layOut('table-caption', 'caption');

/** Elements whose cursor is their own, whatever is around them. */
const OWN_CURSOR = new Set(['a', 'label', 'button', 'input', 'select', 'textarea']);
/** @type {(element: Element, tag: string, around: boolean) => boolean} whether the cursor over a plain element is a pointer */
const plainPointer = (element, tag, around) => (tag === 'a' && has(element, 'href')) || (around && (tag === 'a' || !OWN_CURSOR.has(tag)));

/** Attributes that can make an element other than its tag and its rules. */
const SHAPING_ATTRIBUTES = ['hidden', 'popover', 'part', 'slot', 'contenteditable'];
/** A style attribute without any of this changes nothing that matters here. */
const MAY_SHAPE =
  /display|visib|cursor|position|opacity|filter|overflow|clip|content-v|font|text-indent|color|transform|translate|scale|margin|inset|left|top|right|bottom|all|animation|float|security|fill/i;

/** The style sheets of the document, if all of them can be read. @type {Scope | null} */
let plainScope = null;
/** What classes shape, by the class attribute as a whole. @type {Map<string, number>} */
let classShapes = new Map();
let classesOf = null;
/** Elements that a script animates. @type {Set<Element>} */
let animated = new Set();

/** To be called before a pass, after `beginNames`. */
const beginPlain = () => {
  const scope = scopeOf(document);
  plainScope = scope.kinds !== null ? null : scope;
  if (scope !== classesOf) {
    classesOf = scope;
    classShapes = new Map();
  }
  animated = new Set(document.getAnimations().map(animation => animation.effect?.target));
  moving = animated;
};

/** What may be other than the browser makes of the tag: SHAPE_ bits; 0 for a plain element. */
const shapeOf = (element, tag, styled) => {
  if (plainScope === null || !PLAIN.has(tag) || shadowRootOf(element) !== null) return SHAPE_ALL;
  if (animated.size > 0 && animated.has(element)) return SHAPE_ALL;
  const { shaped } = plainScope;
  let shape = shaped === null ? 0 : shaped.any | (shaped.tag.get(tag) ?? 0);
  if (!styled) return shape;
  for (const name of SHAPING_ATTRIBUTES) if (has(element, name)) return SHAPE_ALL;
  if (tag === 'input' && attribute(element, 'type') === 'hidden') return SHAPE_ALL;
  const own = attribute(element, 'style');
  if (own !== null && MAY_SHAPE.test(own)) return SHAPE_ALL;
  if (shaped === null) return shape;
  for (const [which, selector] of shaped.attributes) if (mayMatch(element, selector)) shape |= which;
  if (shaped.id.size > 0) shape |= shaped.id.get(attribute(element, 'id')) ?? 0;
  const classes = shaped.class.size > 0 ? attribute(element, 'class') : null;
  return classes === null ? shape : shape | classShape(classes, shaped);
};

const classShape = (classes, shaped) => {
  let shape = classShapes.get(classes);
  if (shape === undefined) {
    shape = 0;
    for (const name of classes.split(/\s+/)) shape |= shaped.class.get(name) ?? 0;
    classShapes.set(classes, shape);
  }
  return shape;
};
