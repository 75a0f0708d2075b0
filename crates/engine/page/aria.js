// The words of ARIA: which roles exist, which attributes belong to every element, and where attributes point to.

/** The roles an author may give (ARIA 1.2 §5.4 with 1.3's additions, graphics-aria, dpub-aria); abstract ones are not among them. */
const ROLES = new Set(
  `alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox comment
  complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid gridcell group
  heading img image insertion link list listbox listitem log main mark marquee math menu menubar menuitem menuitemcheckbox
  menuitemradio meter navigation none note option paragraph presentation progressbar radio radiogroup region row rowgroup rowheader
  scrollbar search searchbox sectionfooter sectionheader separator slider spinbutton status strong subscript suggestion superscript
  switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem
  graphics-document graphics-object graphics-symbol
  doc-abstract doc-acknowledgments doc-afterword doc-appendix doc-backlink doc-biblioentry doc-bibliography doc-biblioref
  doc-chapter doc-colophon doc-conclusion doc-cover doc-credit doc-credits doc-dedication doc-endnote doc-endnotes doc-epigraph
  doc-epilogue doc-errata doc-example doc-footnote doc-foreword doc-glossary doc-glossref doc-index doc-introduction doc-noteref
  doc-notice doc-pagebreak doc-pagefooter doc-pageheader doc-pagelist doc-part doc-preface doc-prologue doc-pullquote doc-qna
  doc-subtitle doc-tip doc-toc`.split(/\s+/),
);

/** Two words for one role; ours is the one that models have read most. */
const SYNONYMS = new Map([
  ['image', 'img'],
  ['presentation', 'none'],
  ['directory', 'list'],
  ['graphics-document', 'img'],
  ['graphics-symbol', 'img'],
  ['graphics-object', 'group'],
  ['sectionheader', 'generic'],
  ['sectionfooter', 'generic'],
]);

/** ARIA 1.2 §6.4: what any element may have, and what therefore says that an element is not mere presentation. */
const GLOBAL_ATTRIBUTES = `aria-atomic aria-braillelabel aria-brailleroledescription aria-busy aria-controls aria-current
  aria-describedby aria-description aria-details aria-dropeffect aria-flowto aria-grabbed aria-keyshortcuts aria-label
  aria-labelledby aria-live aria-owns aria-relevant aria-roledescription`.split(/\s+/);

/** The valid roles in a `role` attribute, by its text: few texts, many elements. @type {Map<string, string[]>} */
const parsedRoles = new Map();

/** @param {string} text @returns {string[]} in the author's order of preference */
const rolesIn = text => {
  let roles = parsedRoles.get(text);
  if (!roles) {
    roles = text.toLowerCase().split(/\s+/).filter(role => ROLES.has(role)).map(role => SYNONYMS.get(role) ?? role);
    if (parsedRoles.size > 1000) parsedRoles.clear();
    parsedRoles.set(text, roles);
  }
  return roles;
};

/** @param {Element} element @returns {boolean} whether it has one of the attributes that defeat presentation (ARIA 1.2 §7.1) */
const hasGlobalAttribute = element => GLOBAL_ATTRIBUTES.some(name => has(element, name));

const DISABLEABLE = new Set(['button', 'input', 'select', 'textarea']);

/** @param {Element} element @returns {boolean} whether the keyboard or a script can put the focus on it (HTML §6.6.3) */
const isFocusable = element => {
  if (has(element, 'tabindex') && /^\s*[-+]?\d/.test(attribute(element, 'tabindex'))) return true;
  const tag = tagOf(element);
  if (DISABLEABLE.has(tag)) return !matches(element, ':disabled, [type=hidden i]');
  switch (tag) {
    case 'a':
    case 'area':
      return has(element, 'href') || has(element, 'xlink:href');
    case 'iframe':
      return true;
    case 'summary':
      return isSummary(element);
    case 'audio':
    case 'video':
      return has(element, 'controls');
    default:
      return isEditingHost(element);
  }
};

/** @param {Element} element @returns {boolean} whether it starts a stretch that can be edited (HTML §6.8.1) */
const isEditingHost = element => {
  const editable = attribute(element, 'contenteditable');
  return editable !== null && editable.trim().toLowerCase() !== 'false';
};

/** @param {Element} element @returns {boolean} whether it is the one summary of its details */
const isSummary = element => {
  const parent = parentNode(element);
  if (!parent || nodeType(parent) !== 1 || tagOf(parent) !== 'details') return false;
  let child = firstChild(parent);
  while (child && !(nodeType(child) === 1 && tagOf(child) === 'summary')) child = nextSibling(child);
  return child === element;
};

/** Which properties hold the elements that an attribute points to, where the browser has them (ARIA 1.3 §10, "reflection"). */
const REFLECTED = {
  'aria-labelledby': 'ariaLabelledByElements',
  'aria-describedby': 'ariaDescribedByElements',
  'aria-owns': 'ariaOwnsElements',
};
const idInDocument = Document.prototype.getElementById;
const idInShadow = DocumentFragment.prototype.getElementById;

/** @type {(root: Node, id: string) => Element | null} */
const byId = (root, id) => {
  const kind = nodeType(root);
  return kind === 9 ? idInDocument.call(root, id) : kind === 11 ? idInShadow.call(root, id) : null;
};

/**
 * The elements that an attribute names by id; set by a script as elements, the attribute itself is empty.
 * @param {Element} element @param {keyof REFLECTED} name @returns {Element[] | null} null where it points nowhere
 */
const referenced = (element, name) => {
  const ids = attribute(element, name);
  if (ids === null) return null;
  if (ids === '') {
    const get = Object.getOwnPropertyDescriptor(Element.prototype, REFLECTED[name])?.get;
    const set = get?.call(element);
    return set?.length ? [...set] : null;
  }
  const root = rootOf(element);
  const found = ids.split(/\s+/).map(id => byId(root, id)).filter(Boolean);
  return found.length ? found : null;
};
