// Names and descriptions of elements: accname-1.2 §4.3, whose steps are cited by their letters.
// No boxes are asked for, so nothing here makes the browser lay the page out.

/**
 * One computation, of `origin`'s name: `seen` keeps it from going in circles, `hidden` says that hidden content counts because it was
 * referred to, `labelled` that an `aria-labelledby` is being followed, and no other will be.
 * @typedef {{origin: Element, seen: Set<Element>, hidden: boolean, labelled: boolean}} Walk
 */

/** @param {Element} origin @returns {Walk} through what is shown in it */
const newWalk = origin => ({ origin, seen: new Set([origin]), hidden: false, labelled: false });

/** To be called before a run of questions about names and states, in the same turn: what they share is looked up once for all of them. */
const beginNames = () => {
  beginLabels();
  beginPseudo();
  beginStates();
};

/** Roles whose name may come from their content (ARIA 1.2 §5.2.8.4). */
const NAMED_BY_CONTENT = new Set(
  `button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio row
  rowheader switch tab term tooltip treeitem doc-backlink doc-biblioref doc-glossref doc-noteref`.split(/\s+/),
);

/** @param {string} role @returns {boolean} */
const nameFromContentRole = role => NAMED_BY_CONTENT.has(role);

/** Roles that have no name (ARIA 1.2 §5.2.8.6): a title only describes them. `generic` is not among them: it may well be a button. */
const UNTITLED = new Set(
  'caption code deletion emphasis insertion mark none paragraph strong subscript suggestion superscript time'.split(' '),
);

/** What stands apart from the text around it, so that a name around it does not have its content: widgets, landmarks, live regions. */
const APART = new Set(
  `alert alertdialog application banner combobox complementary contentinfo dialog document feed grid img listbox log main marquee menu
  menubar navigation radiogroup search status tablist tabpanel timer toolbar tree treegrid`.split(/\s+/),
);

/** The accessible name. @param {Element} element @param {string} role @returns {string} */
const nameOf = (element, role) => {
  const given = hasAny(element) ? ariaName(element, null) || nativeName(element, null) : nativeName(element, null);
  if (given) return given;
  if (NAMED_BY_CONTENT.has(role)) {
    const content = flat(ownContent(element));
    if (content) return content;
  }
  return hasAny(element) ? tooltipOf(element, role) : '';
};

/** The name without what the content would say. @param {Element} element @param {string} role @returns {string} */
const authorName = (element, role) =>
  hasAny(element) ? ariaName(element, null) || nativeName(element, null) || tooltipOf(element, role) : nativeName(element, null);

/**
 * `aria-describedby`, `aria-description`, or what could have been the name and is not (accname §4.3.1, HTML-AAM §4).
 * @param {Element} element @param {string} name @returns {string}
 */
const descriptionOf = (element, name) => {
  const native = NATIVE_DESCRIPTIONS.get(tagOf(element));
  if (hasAny(element)) {
    const references = referenced(element, 'aria-describedby');
    if (references) return textOfAll(references, element, null);
    const given = flat(attribute(element, 'aria-description') ?? '');
    if (given) return given;
  } else if (native === undefined) return '';
  const source = native === undefined ? '' : native(element, name);
  if (source !== '' && source !== name) return source;
  const title = hasAny(element) ? flat(attribute(element, 'title') ?? '') : '';
  return title === name ? '' : title;
};

/** Steps 2B and 2D. @param {Element} element @param {Walk | null} walk */
const ariaName = (element, walk) => {
  if (!walk?.labelled) {
    const references = referenced(element, 'aria-labelledby');
    const text = references ? textOfAll(references, element, walk) : '';
    if (text) return text;
  }
  const label = attribute(element, 'aria-label');
  return label === null ? '' : flat(label);
};

/** @param {Element[]} references @param {Element} origin @param {Walk | null} walk */
const textOfAll = (references, origin, walk) => {
  let text = '';
  for (const element of references) {
    if (WITHOUT_CONTENT.has(tagOf(element))) continue;
    text += ` ${alternative(element, { origin, seen: new Set(walk?.seen), hidden: isHidden(element), labelled: true })}`;
  }
  return flat(text);
};

/** @param {Element} element @returns {boolean} whether it is not shown to anybody: such an element counts only where it is referred to */
const isHidden = element =>
  closest(element, '[aria-hidden="true" i]') !== null || (!isVisible(element) && styleOf(element).display !== 'contents');
const VISIBLE = { visibilityProperty: true };
const isVisible = element => checkVisibility.call(element, VISIBLE);

/** A name of more elements is no name but a page; the limit also keeps pages from nesting deeper than a script can follow. */
const MOST_ELEMENTS = 1000;

/** What one element adds to a name. @param {Element} element @param {Walk} walk @returns {string} */
const alternative = (element, walk) => {
  if (walk.seen.has(element) || walk.seen.size > MOST_ELEMENTS) return '';
  const isReferredTo = walk.seen.size === 0;
  walk.seen.add(element);
  const role = roleOf(element);
  const value = element === walk.origin ? null : embeddedValue(element, role);
  if (value) return value;
  const marked = hasAny(element);
  const given = (marked && ariaName(element, walk)) || nativeName(element, walk);
  if (given) return given;
  if (value === null && (isReferredTo || walk.hidden || !isApart(element, role))) {
    const content = gather(element, walk);
    if (content.trim() !== '') return content;
  }
  return marked ? tooltipOf(element, role) : '';
};

/** A drawing is apart as well, but not the words in it. */
const isApart = (element, role) => APART.has(role) && !(role === 'img' && tagOf(element) === 'svg' && !has(element, 'role'));

/** The name of an element by its own content, for those who know that it is shown. @param {Element} element */
const ownContent = element => {
  const only = firstChild(element);
  // The plain case of nearly all elements of a page: a text and nothing else.
  const isPlain = only === null || (nodeType(only) === 3 && nextSibling(only) === null);
  if (isPlain && shadowRootOf(element) === null && !has(element, 'aria-owns')) {
    return pseudoText(element, '::before') + (only === null ? '' : data(only)) + pseudoText(element, '::after');
  }
  return gather(element, newWalk(element));
};

const assignedNodes = HTMLSlotElement.prototype.assignedNodes;

/** Step 2F: the content in the order in which it is shown. @param {Element} element @param {Walk} walk @returns {string} */
const gather = (element, walk) => {
  let text = pseudoText(element, '::before');
  const assigned = tagOf(element) === 'slot' ? assignedNodes.call(element) : null;
  if (assigned?.length) for (const node of assigned) text += textOfNode(node, walk);
  else if (!walk.hidden && tagOf(element) === 'details' && !has(element, 'open')) text += closedContent(element, walk);
  else for (let node = firstChild(shadowRootOf(element) ?? element); node !== null; node = nextSibling(node)) text += textOfNode(node, walk);
  if (hasAny(element)) for (const owned of referenced(element, 'aria-owns') ?? []) text += ` ${textOfNode(owned, walk)} `;
  return text + pseudoText(element, '::after');
};

/** @param {Node} node @param {Walk} walk @returns {string} */
const textOfNode = (node, walk) => {
  const kind = nodeType(node);
  if (kind === 3) return data(node);
  if (kind !== 1) return '';
  const tag = tagOf(node);
  if (tag === 'br') return ' ';
  if (WITHOUT_CONTENT.has(tag)) return '';
  if (walk.hidden && !isRendered(node)) return ` ${alternative(node, walk)} `;
  if (walk.hidden) return INLINE.has(styleOf(node).display) ? alternative(node, walk) : ` ${alternative(node, walk)} `;
  if (hasAny(node) && (isTrue(node, 'aria-hidden') || has(node, 'inert'))) return '';
  const style = styleOf(node);
  const { display } = style;
  if (display === 'none' || isTransparent(style)) return '';
  if (style.visibility !== 'visible' || (hidesText(style) && !isField(node))) return visibleText(node, walk);
  if (INLINE.has(display)) {
    const text = alternative(node, walk);
    return text !== '' && REPLACED.has(tag) ? ` ${text} ` : text;
  }
  return style.contentVisibility === 'hidden' ? ' ' : ` ${alternative(node, walk)} `;
};
/** Nothing that is read as text; the small characters above others only repeat them. */
const WITHOUT_CONTENT = new Set(['script', 'style', 'template', 'noscript', 'head', 'title', 'meta', 'link', 'rt', 'rp']);
const INLINE = new Set(['inline', 'contents', 'ruby']);
/** Things in a line of text that are no text: what they say stands apart from it. */
const REPLACED = new Set(['img', 'svg', 'iframe', 'canvas', 'video', 'audio', 'object', 'embed']);

/** What closed details show. */
const closedContent = (details, walk) => {
  for (let node = firstChild(details); node !== null; node = nextSibling(node)) {
    if (isElement(node) && isSummary(node)) return textOfNode(node, walk);
  }
  return '';
};

/** What is visible in an element that is not. */
const visibleText = (element, walk) => {
  let text = '';
  for (let node = firstChild(element); node !== null; node = nextSibling(node)) if (isElement(node)) text += textOfNode(node, walk);
  return text;
};

const allUnder = Element.prototype.querySelectorAll;
const CHOSEN = 'option:checked, [role=option][aria-selected=true]';
/** Step 2C: a control inside of a name stands for its value; a secret one for nothing. @returns {string | null} null if it is no control */
const embeddedValue = (element, role) => {
  switch (role) {
    case 'textbox':
    case 'searchbox':
      return isField(element) ? valueOf(element, role) : isSecret(element) ? '' : null;
    case 'spinbutton':
    case 'slider':
    case 'progressbar':
    case 'meter':
    case 'scrollbar':
    case 'combobox':
      return valueOf(element, role);
    case 'listbox':
      return [...allUnder.call(element, CHOSEN)].map(option => nameOf(option, 'option')).join(' ');
    default:
      return null;
  }
};

/** The last source of a name (step 2I): what the mouse would be told, or what stands in the empty field. */
const tooltipOf = (element, role) => {
  const title = UNTITLED.has(role) ? null : attribute(element, 'title');
  return (title !== null && flat(title)) || placeholderOf(element);
};

/** @param {Element} element @returns {string} */
const placeholderOf = element => {
  const tag = tagOf(element);
  const native = tag === 'input' || tag === 'textarea' ? attribute(element, 'placeholder') : null;
  return flat(native || (attribute(element, 'aria-placeholder') ?? ''));
};
