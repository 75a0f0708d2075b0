// Where names and descriptions come from in HTML and SVG themselves: labels, captions, alternative texts (HTML-AAM §4, SVG-AAM §6).

/** The sources that HTML and SVG add (step 2E). @param {Element} element @param {Walk | null} walk @returns {string} */
const nativeName = (element, walk) => {
  const tag = tagOf(element);
  const source = NATIVE_NAMES.get(tag);
  if (source !== undefined) return source(element, walk);
  return tag.includes('-') ? fromLabels(element, walk) : '';
};

/** @param {Element} element a control @param {Walk | null} walk */
const fromLabels = (element, walk) => {
  const labels = labelsOf(element);
  if (labels === null) return '';
  const inner = { origin: element, seen: new Set(walk?.seen).add(element), hidden: false, labelled: walk?.labelled ?? false };
  return flat(labels.map(label => (isHidden(label) ? '' : alternative(label, inner))).join(' '));
};

/** The labels with a `for`, by what it says, of each document and shadow root. @type {WeakMap<Node, Map<string, Element[]>>} */
let labelsByRoot = new WeakMap();

/** Makes the next questions look at the labels again. */
const beginLabels = () => {
  labelsByRoot = new WeakMap();
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
    if (nodeType(node) === 1 && tagOf(node) === tag) return flat(textOfNode(node, walk ?? newWalk(element)));
  }
  return '';
};

/** SVG-AAM §6: the text of a child that is not drawn. @type {(element: Element, tag: 'title' | 'desc') => string} */
const svgText = (element, tag) => {
  for (let node = firstChild(element); node !== null; node = nextSibling(node)) {
    if (nodeType(node) === 1 && tagOf(node) === tag) return flat(textContent(node));
  }
  return tag === 'title' && hasAny(element) ? flat(attribute(element, 'xlink:title') ?? '') : '';
};
const svgTitle = element => svgText(element, 'title');

const altText = element => (hasAny(element) ? flat(attribute(element, 'alt') ?? '') : '');
const labelAttribute = element => (hasAny(element) ? flat(attribute(element, 'label') ?? '') : '');

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
      return altText(element) || flat(attribute(element, 'value') ?? '') || flat(attribute(element, 'title') ?? '') || 'Submit';
    case 'file':
      return flat(attribute(element, 'title') ?? '') || (has(element, 'multiple') ? 'Choose Files' : 'Choose File');
    default:
      return '';
  }
};

/** @type {Map<string, (element: Element, walk: Walk | null) => string>} by tag */
const NATIVE_NAMES = new Map([
  ['input', inputName],
  ['button', fromLabels],
  ['meter', fromLabels],
  ['output', fromLabels],
  ['progress', fromLabels],
  ['select', fromLabels],
  ['textarea', fromLabels],
  ['img', altText],
  ['area', altText],
  ['optgroup', labelAttribute],
  ['option', labelAttribute],
  ['fieldset', fromChild('legend')],
  ['table', fromChild('caption')],
  ['figure', fromChild('figcaption')],
]);
for (const tag of 'svg g circle ellipse line path polygon polyline rect use text image'.split(' ')) {
  NATIVE_NAMES.set(tag, svgTitle);
}
NATIVE_NAMES.set('a', element => (namespaceOf(element) === SVG ? svgTitle(element) : ''));

/** @type {Map<string, (element: Element, name: string) => string>} by tag */
const NATIVE_DESCRIPTIONS = new Map([
  ['svg', (element, name) => svgText(element, 'desc') || (svgTitle(element) === name ? '' : svgTitle(element))],
  ['table', element => fromChild('caption')(element, null)],
  ['input', element => (BUTTON_TYPES.has(element.type) && hasAny(element) ? flat(attribute(element, 'value') ?? '') : '')],
]);
const BUTTON_TYPES = new Set(['submit', 'reset', 'button']);
