// Elements whose style is known without asking. Asking for a computed style costs more than all the rest that is read of an element, and
// most elements of a long page are plain: no rule of any style sheet could change whether they are seen, so they are what the browser
// makes of their tag, and otherwise like the element around them.

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

/** Attributes that can make an element other than its tag. */
const SHAPING = ['style', 'hidden', 'popover', 'part', 'slot', 'contenteditable'];

/** The style sheets of the document, if all of them can be read and nothing else moves styles. @type {Scope | null} */
let plainScope = null;
/** Whether elements with these classes are plain, by the class attribute as a whole. @type {Map<string, boolean>} */
let plainClasses = new Map();
let classesOf = null;
/** Elements that a script animates. @type {Set<Element>} */
let animated = new Set();

/** To be called before a pass, after `beginNames`. */
const beginPlain = () => {
  const scope = scopeOf(document);
  plainScope = scope.kinds !== null || scope.shaped?.any ? null : scope;
  if (scope !== classesOf) {
    classesOf = scope;
    plainClasses = new Map();
  }
  animated = new Set(document.getAnimations().map(animation => animation.effect?.target));
};

/** How the element is displayed, if it is plain; otherwise null. @param {Element} element @param {string} tag @param {boolean} styled */
const plainDisplay = (element, tag, styled) => {
  const display = PLAIN.get(tag);
  if (display === undefined || plainScope === null || shadowRootOf(element) !== null) return null;
  const { shaped } = plainScope;
  if (shaped?.tag.has(tag)) return null;
  if (animated.size > 0 && animated.has(element)) return null;
  if (!styled) return display;
  for (const name of SHAPING) if (has(element, name)) return null;
  if (tag === 'input' && attribute(element, 'type') === 'hidden') return null;
  if (shaped === null) return display;
  if (shaped.attributes && mayMatch(element, shaped.attributes)) return null;
  if (shaped.id.size > 0 && shaped.id.has(attribute(element, 'id'))) return null;
  const classes = attribute(element, 'class');
  return classes === null || isPlainClass(classes, shaped) ? display : null;
};

const isPlainClass = (classes, shaped) => {
  let plain = plainClasses.get(classes);
  if (plain === undefined) {
    plain = !classes.split(/\s+/).some(name => shaped.class.has(name));
    plainClasses.set(classes, plain);
  }
  return plain;
};
