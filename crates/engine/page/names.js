// Names and descriptions of elements: accname-1.2 §4.3 with the sources of HTML-AAM §4 and SVG-AAM §6. Steps are cited by their letters.
// No boxes are asked for, so nothing here makes the browser lay the page out.

/**
 * One computation: `seen` keeps it from going in circles, `hidden` says that hidden content counts because it was referred to,
 * `labelled` that an `aria-labelledby` is being followed, and no other will be.
 * @typedef {{seen: Set<Element>, hidden: boolean, labelled: boolean}} Walk
 */

/** The labels with a `for`, by what it says, of each document and shadow root. @type {Map<Node, Map<string, Element[]>>} */
const labelsByRoot = new Map();

/** To be called before a run of questions about names, in the same turn: style sheets and labels are looked up once for all of them. */
const beginNames = () => {
  labelsByRoot.clear();
  beginPseudo();
};

/** Roles whose name may come from their content (ARIA 1.2 §5.2.8.4). */
const NAMED_BY_CONTENT = new Set(
  `button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio row
  rowheader switch tab term tooltip treeitem doc-backlink doc-biblioref doc-glossref doc-noteref`.split(/\s+/),
);

/** @param {string} role @returns {boolean} */
const nameFromContentRole = role => NAMED_BY_CONTENT.has(role);

/** The accessible name. @param {Element} element @param {string} role @returns {string} */
const nameOf = (element, role) => {
  const given = hasAny(element) ? ariaName(element, null) || nativeName(element, role, null) : nativeName(element, role, null);
  if (given) return given;
  if (NAMED_BY_CONTENT.has(role)) {
    const content = flat(ownContent(element));
    if (content) return content;
  }
  return hasAny(element) ? tooltip(element) : '';
};

/** The name without what the content would say. @param {Element} element @param {string} role @returns {string} */
const authorName = (element, role) =>
  hasAny(element)
    ? ariaName(element, null) || nativeName(element, role, null) || tooltip(element)
    : nativeName(element, role, null);

/** `aria-describedby`, `aria-description`, or a title that is not the name (accname §4.3.1). @param {Element} element @param {string} name */
const descriptionOf = (element, name) => {
  if (!hasAny(element)) return '';
  const references = referenced(element, 'aria-describedby');
  if (references) return textOfAll(references, null);
  const given = flat(attribute(element, 'aria-description') ?? '');
  if (given) return given;
  const title = flat(attribute(element, 'title') ?? '');
  return title === name ? '' : title;
};

/** Steps 2B and 2D. @param {Element} element @param {Walk | null} walk */
const ariaName = (element, walk) => {
  if (!walk?.labelled) {
    const references = referenced(element, 'aria-labelledby');
    const text = references ? textOfAll(references, walk) : '';
    if (text) return text;
  }
  const label = attribute(element, 'aria-label');
  return label === null ? '' : flat(label);
};

/** @param {Element[]} references @param {Walk | null} walk */
const textOfAll = (references, walk) =>
  flat(
    references
      .map(element => {
        const seen = new Set(walk?.seen);
        return alternative(element, { seen, hidden: isHidden(element), labelled: true });
      })
      .join(' '),
  );

/** @param {Element} element @returns {boolean} whether it is not shown to anybody: such an element counts only where it is referred to */
const isHidden = element =>
  closest(element, '[aria-hidden="true" i]') !== null || (!isVisible(element) && styleOf(element).display !== 'contents');
const { checkVisibility: checkVisible } = Element.prototype;
const VISIBLE = { visibilityProperty: true };
const isVisible = element => checkVisible.call(element, VISIBLE);

/** What one element adds to a name. @param {Element} element @param {Walk} walk @returns {string} */
const alternative = (element, walk) => {
  if (walk.seen.has(element)) return '';
  walk.seen.add(element);
  const role = roleOf(element);
  const embedded = walk.seen.size > 1 ? embeddedValue(element, role) : null;
  if (hasAny(element)) {
    const given = ariaName(element, walk);
    if (embedded !== null && !given) return embedded;
    if (given) return given;
  } else if (embedded !== null) return embedded;
  const native = nativeName(element, role, walk);
  if (native) return native;
  const content = gather(element, walk);
  return content.trim() === '' && hasAny(element) ? tooltip(element) : content;
};

/** The name of an element by its own content, for those who know that it is shown. @param {Element} element */
const ownContent = element => {
  const only = firstChild(element);
  // The plain case of nearly all elements of a page: a text and nothing else.
  if ((only === null || (nodeType(only) === 3 && nextSibling(only) === null)) && shadowRootOf(element) === null && !has(element, 'aria-owns')) {
    const text = only === null ? '' : data(only);
    return pseudoText(element, '::before') + text + pseudoText(element, '::after');
  }
  return gather(element, { seen: new Set([element]), hidden: false, labelled: false });
};

const assignedNodes = HTMLSlotElement.prototype.assignedNodes;

/** Step 2F: the content in the order in which it is shown. @param {Element} element @param {Walk} walk @returns {string} */
const gather = (element, walk) => {
  let text = pseudoText(element, '::before');
  const assigned = tagOf(element) === 'slot' ? assignedNodes.call(element) : null;
  if (assigned?.length) for (const node of assigned) text += piece(node, walk);
  else for (let node = firstChild(shadowRootOf(element) ?? element); node !== null; node = nextSibling(node)) text += piece(node, walk);
  if (hasAny(element)) for (const owned of referenced(element, 'aria-owns') ?? []) text += ` ${piece(owned, walk)} `;
  return text + pseudoText(element, '::after');
};

/** @param {Node} node @param {Walk} walk @returns {string} */
const piece = (node, walk) => {
  const kind = nodeType(node);
  if (kind === 3) return data(node);
  if (kind !== 1) return '';
  const tag = tagOf(node);
  if (tag === 'br') return ' ';
  if (WITHOUT_CONTENT.has(tag)) return '';
  if (walk.hidden) return ` ${alternative(node, walk)} `;
  if (hasAny(node) && attribute(node, 'aria-hidden') === 'true') return '';
  const style = styleOf(node);
  const { display } = style;
  if (display === 'none') return '';
  if (style.visibility !== 'visible') return visiblePieces(node, walk);
  const text = alternative(node, walk);
  return INLINE.has(display) ? text : ` ${text} `;
};
const WITHOUT_CONTENT = new Set(['script', 'style', 'template', 'noscript', 'head', 'title', 'meta', 'link']);
const INLINE = new Set(['inline', 'contents', 'ruby', 'ruby-text']);

/** What is visible in an element that is not. */
const visiblePieces = (element, walk) => {
  let text = '';
  for (let node = firstChild(element); node !== null; node = nextSibling(node)) if (nodeType(node) === 1) text += piece(node, walk);
  return text;
};

/** Step 2C: a control inside of a name stands for its value; a secret one for nothing. @returns {string | null} null if it is no control */
const embeddedValue = (element, role) => {
  switch (role) {
    case 'textbox':
    case 'searchbox':
    case 'spinbutton':
    case 'slider':
    case 'progressbar':
    case 'meter':
    case 'scrollbar':
    case 'combobox':
      return valueOf(element, role);
    case 'listbox':
      return tagOf(element) === 'select' ? [...element.selectedOptions].map(option => flat(option.label)).join(' ') : null;
    default:
      return null;
  }
};

/** The last source of a name (step 2I): what the mouse would be told, or what stands in the empty field. */
const tooltip = element => {
  const title = attribute(element, 'title');
  if (title !== null && title.trim()) return flat(title);
  return placeholderOf(element);
};

/** @param {Element} element @returns {string} */
const placeholderOf = element => {
  const tag = tagOf(element);
  const native = tag === 'input' || tag === 'textarea' ? attribute(element, 'placeholder') : null;
  return flat(native || (attribute(element, 'aria-placeholder') ?? ''));
};

/** The sources that HTML and SVG add (step 2E). @param {Element} element @param {string} role @param {Walk | null} walk @returns {string} */
const nativeName = (element, role, walk) => {
  const tag = tagOf(element);
  const source = NATIVE_NAMES.get(tag);
  if (source !== undefined) return source(element, walk, role);
  return tag.includes('-') ? fromLabels(element, walk) : '';
};

/** @param {Element} element a control @param {Walk | null} walk */
const fromLabels = (element, walk) => {
  const labels = labelsOf(element);
  if (labels === null) return '';
  const seen = new Set(walk?.seen).add(element);
  return flat(labels.map(label => alternative(label, { seen, hidden: isHidden(label), labelled: walk?.labelled ?? false })).join(' '));
};

const allIn = { 9: Document.prototype.querySelectorAll, 11: DocumentFragment.prototype.querySelectorAll };
/** HTML §4.10.4: the labels of a control, those around it and those that name its id. @returns {Element[] | null} */
const labelsOf = element => {
  const around = closest(element, 'label');
  const wrapping = around !== null && around.control === element ? around : null;
  const id = hasAny(element) ? attribute(element, 'id') : null;
  if (!id) return wrapping && [wrapping];
  const root = rootOf(element);
  let byTarget = labelsByRoot.get(root);
  if (!byTarget) {
    byTarget = new Map();
    for (const label of allIn[nodeType(root)]?.call(root, 'label[for]') ?? []) {
      const target = attribute(label, 'for');
      if (byTarget.has(target)) byTarget.get(target).push(label);
      else byTarget.set(target, [label]);
    }
    labelsByRoot.set(root, byTarget);
  }
  const named = (byTarget.get(id) ?? []).filter(label => label.control === element);
  if (wrapping === null || named.includes(wrapping)) return named.length ? named : null;
  return [wrapping, ...named];
};

/** @type {(tag: string) => (element: Element, walk: Walk | null) => string} the first child with a tag is the name */
const fromChild = tag => (element, walk) => {
  for (let node = firstChild(element); node !== null; node = nextSibling(node)) {
    if (nodeType(node) === 1 && tagOf(node) === tag) return childText(node, walk);
  }
  return '';
};
const childText = (node, walk) => {
  const text = piece(node, walk ?? { seen: new Set(), hidden: false, labelled: false });
  return flat(text);
};

const svgTitle = element => {
  for (let node = firstChild(element); node !== null; node = nextSibling(node)) {
    if (nodeType(node) === 1 && tagOf(node) === 'title') return flat(textContent(node));
  }
  return hasAny(element) ? flat(attribute(element, 'xlink:title') ?? '') : '';
};

const alt = element => (hasAny(element) ? flat(attribute(element, 'alt') ?? '') : '');
const label = element => (hasAny(element) ? flat(attribute(element, 'label') ?? '') : '');

/** What buttons without a value say in Chromium (HTML-AAM §4.1.3). */
const DEFAULT_VALUES = new Map([
  ['submit', 'Submit'],
  ['reset', 'Reset'],
]);
const inputName = (element, walk) => {
  const labelled = fromLabels(element, walk);
  if (labelled) return labelled;
  switch (element.type) {
    case 'submit':
    case 'reset':
    case 'button':
      return flat(attribute(element, 'value') ?? DEFAULT_VALUES.get(element.type) ?? '');
    case 'image':
      return alt(element) || flat(attribute(element, 'value') ?? '') || flat(attribute(element, 'title') ?? '') || 'Submit';
    case 'file':
      return flat(attribute(element, 'title') ?? '') || (has(element, 'multiple') ? 'Choose Files' : 'Choose File');
    default:
      return '';
  }
};

/** @type {Map<string, (element: Element, walk: Walk | null, role: string) => string>} by tag */
const NATIVE_NAMES = new Map([
  ['input', inputName],
  ['button', fromLabels],
  ['meter', fromLabels],
  ['output', fromLabels],
  ['progress', fromLabels],
  ['select', fromLabels],
  ['textarea', fromLabels],
  ['img', alt],
  ['area', alt],
  ['optgroup', label],
  ['option', label],
  ['fieldset', fromChild('legend')],
  ['table', fromChild('caption')],
  ['figure', fromChild('figcaption')],
]);
for (const tag of 'svg a g circle ellipse line path polygon polyline rect use text image symbol'.split(' ')) {
  if (tag !== 'a') NATIVE_NAMES.set(tag, svgTitle);
}
NATIVE_NAMES.set('a', element => (namespaceOf(element) === SVG ? svgTitle(element) : ''));
