// Roles, as HTML-AAM 1.0 §3.5, SVG-AAM and ARIA 1.2 give them. 'generic' says that an element has none, 'none' that its author took it
// away. Two choices of ours where the specifications name no role: fields for dates, times and colours are a `textbox` (they are
// filled with a string), and so is what can be edited (`contenteditable`) and is nothing else.

/** @param {Element} element @returns {string} */
const roleOf = element => {
  const marked = hasAny(element);
  if (marked) {
    const given = attribute(element, 'role');
    if (given !== null) {
      const explicit = explicitRole(element, given);
      if (explicit !== null) return explicit;
    }
  }
  const native = NATIVE_ROLES.get(tagOf(element));
  const role = native === undefined ? 'generic' : typeof native === 'string' ? native : native(element, marked);
  return marked && role === 'generic' ? roleByAttribute(element) : role;
};

/** @param {Element} element one that would have no role @returns {string} */
const roleByAttribute = element => {
  if (isEditingHost(element)) return 'textbox';
  // HTML-AAM, `popover`: at least a group.
  return has(element, 'popover') ? 'group' : 'generic';
};

/** @param {Element} element @param {string} given @returns {string | null} the first given role that holds here */
const explicitRole = (element, given) => {
  for (const role of rolesIn(given)) {
    // ARIA 1.2 §7.1: what can be focused or says more of itself is not presentation, whatever it claims.
    if (role === 'none') return isFocusable(element) || hasGlobalAttribute(element) ? null : 'none';
    // ARIA 1.2 §5.4, form and region: a landmark without a name is none.
    if ((role === 'region' || role === 'form') && !isNamed(element)) continue;
    return role;
  }
  return null;
};

/** Whether its author gave it a name; not which, as finding that out needs roles again. @param {Element} element @returns {boolean} */
const isNamed = element =>
  referenced(element, 'aria-labelledby') !== null ||
  flat(attribute(element, 'aria-label') ?? '') !== '' ||
  flat(attribute(element, 'title') ?? '') !== '';

/** The role of a part whose whole is mere presentation (ARIA 1.2 §7.1): none as well, unless it says more of itself. */
const inheritedNone = (element, marked) => (marked && (isFocusable(element) || hasGlobalAttribute(element)) ? 'generic' : 'none');

/** @param {Node | null} node @returns {boolean} */
const isElement = node => node !== null && nodeType(node) === 1;

/** The element around it as the page shows it: out of a shadow root to its host. @param {Node} node @returns {Element | null} */
const parentElement = node => {
  const parent = parentNode(node);
  if (parent === null) return null;
  const kind = nodeType(parent);
  return kind === 1 ? parent : kind === 11 ? hostOf(parent) : null;
};
const hostOf = root => (root instanceof ShadowRoot ? root.host : null);

const LISTS = new Set(['ul', 'ol', 'menu']);
const listItemRole = (element, marked) => {
  const parent = parentNode(element);
  if (!isElement(parent) || !hasAny(parent) || !LISTS.has(tagOf(parent))) return 'listitem';
  const role = roleOf(parent);
  return role === 'list' ? 'listitem' : role === 'none' ? inheritedNone(element, marked) : 'generic';
};

/**
 * What the table around says of its rows and cells: 'table', 'grid', 'treegrid', 'none', or 'generic' where there is none.
 * @param {Element} element a part of the table
 */
const tableRoleAround = element => {
  let above = parentNode(element);
  for (let step = 0; isElement(above) && step < 3; step++) {
    const tag = tagOf(above);
    if (tag === 'table') return hasAny(above) ? roleOf(above) : 'table';
    if (tag !== 'tr' && tag !== 'tbody' && tag !== 'thead' && tag !== 'tfoot') return 'generic';
    if (hasAny(above) && tag === 'tr' && has(above, 'role') && roleOf(above) === 'none') return 'none';
    above = parentNode(above);
  }
  return 'generic';
};

/** @type {(role: string, inGrid?: string) => (element: Element, marked: boolean) => string} */
const tablePart = (role, inGrid = role) => (element, marked) => {
  switch (tableRoleAround(element)) {
    case 'table':
      return role;
    case 'grid':
    case 'treegrid':
      return inGrid;
    case 'none':
      return inheritedNone(element, marked);
    default:
      return 'generic';
  }
};
const cellRole = tablePart('cell', 'gridcell');

const headerCellRole = (element, marked) => {
  const cell = cellRole(element, marked);
  if (cell === 'none' || cell === 'generic') return cell;
  switch ((marked && attribute(element, 'scope')?.toLowerCase()) || '') {
    case 'row':
    case 'rowgroup':
      return 'rowheader';
    case 'col':
    case 'colgroup':
      return 'columnheader';
  }
  // HTML §4.9.12.2: without a scope it is the column's, unless there are data in its row. Chromium takes no notice of empty cells.
  for (let node = firstChild(parentNode(element)); node !== null; node = nextSibling(node)) {
    if (nodeType(node) === 1 && tagOf(node) === 'td' && firstChild(node) !== null) return 'rowheader';
  }
  return 'columnheader';
};

const SECTIONS = new Set(['article', 'aside', 'main', 'nav', 'section']);
const SECTION_ROLES = new Set(['article', 'complementary', 'main', 'navigation', 'region']);

/** @param {Element} element @returns {boolean} whether it is inside of a section, so that it is no landmark of the page */
const isInSection = (element, tags = SECTIONS) => {
  for (let above = parentElement(element); above !== null; above = parentElement(above)) {
    if (hasAny(above) && has(above, 'role')) {
      if (SECTION_ROLES.has(roleOf(above))) return true;
    } else if (tags.has(tagOf(above))) return true;
  }
  return false;
};

const ASIDE_SECTIONS = new Set(['article', 'aside', 'nav', 'section']);
const asideRole = (element, marked) =>
  !isInSection(element, ASIDE_SECTIONS) || (marked && isNamed(element)) ? 'complementary' : 'generic';

const INPUT_ROLES = new Map(
  Object.entries({
    button: 'button', submit: 'button', reset: 'button', image: 'button', file: 'button', checkbox: 'checkbox', radio: 'radio',
    range: 'slider', number: 'spinbutton', search: 'searchbox', hidden: 'none',
  }),
);
/** The types whose `list` of suggestions makes them a combobox (HTML-AAM §3.5.80). */
const SUGGESTING = new Set(['text', 'email', 'tel', 'url', 'search']);
const inputRole = (element, marked) => {
  if (!marked) return 'textbox';
  const { type } = element;
  if (SUGGESTING.has(type) && has(element, 'list') && element.list) return 'combobox';
  return INPUT_ROLES.get(type) ?? 'textbox';
};

const selectRole = (element, marked) => {
  if (!marked) return 'combobox';
  const size = Number.parseInt(attribute(element, 'size'));
  return size > 1 || (has(element, 'multiple') && !(size === 1)) ? 'listbox' : 'combobox';
};

const imageRole = (element, marked) => {
  if (!marked || attribute(element, 'alt') !== '') return 'img';
  return isFocusable(element) || hasGlobalAttribute(element) ? 'img' : 'none';
};

const linkRole = (element, marked) => (marked && (has(element, 'href') || has(element, 'xlink:href')) ? 'link' : 'generic');

const SVG = 'http://www.w3.org/2000/svg';
/**
 * SVG-AAM §5.1.2: a shape is there for people only if it has a name or can be focused.
 * @type {(role: string) => (element: Element, marked: boolean) => string}
 */
const shapeRole = role => (element, marked) => {
  if (namespaceOf(element) !== SVG) return 'generic';
  return svgTitle(element) !== '' || (marked && (isNamed(element) || isFocusable(element))) ? role : 'generic';
};

/** @type {Map<string, string | ((element: Element, marked: boolean) => string)>} by tag; what is not here is generic */
const NATIVE_ROLES = new Map();
const giveRole = (role, tags) => tags.split(' ').forEach(tag => NATIVE_ROLES.set(tag, role));

giveRole('group', 'address details fieldset hgroup optgroup');
giveRole('heading', 'h1 h2 h3 h4 h5 h6');
giveRole('list', 'ul ol menu');
giveRole('deletion', 'del s');
giveRole('term', 'dfn dt');
giveRole('none', 'area base col colgroup head link meta noscript param picture rp script slot source style template title track wbr');
for (const role of `article audio blockquote button canvas caption code dialog figure form iframe main mark math meter option search
  table time video`.split(/\s+/)) giveRole(role, role);
for (const [tag, role] of Object.entries({
  datalist: 'listbox', dd: 'definition', em: 'emphasis', hr: 'separator', html: 'document', ins: 'insertion', nav: 'navigation',
  output: 'status', p: 'paragraph', progress: 'progressbar', strong: 'strong', sub: 'subscript', sup: 'superscript', svg: 'img',
  textarea: 'textbox', image: 'img', frame: 'iframe',
})) giveRole(role, tag);

giveRole(linkRole, 'a area');
giveRole(listItemRole, 'li');
giveRole(tablePart('rowgroup'), 'tbody thead tfoot');
giveRole(tablePart('row'), 'tr');
giveRole(cellRole, 'td');
giveRole(headerCellRole, 'th');
giveRole(asideRole, 'aside');
giveRole(element => (isInSection(element) ? 'generic' : 'banner'), 'header');
giveRole(element => (isInSection(element) ? 'generic' : 'contentinfo'), 'footer');
giveRole((element, marked) => (marked && isNamed(element) ? 'region' : 'generic'), 'section');
giveRole(inputRole, 'input');
giveRole(selectRole, 'select');
giveRole(imageRole, 'img');
giveRole(element => (isSummary(element) ? 'button' : 'generic'), 'summary');
giveRole(shapeRole('img'), 'circle ellipse line path polygon polyline rect use');
giveRole(shapeRole('group'), 'g');
