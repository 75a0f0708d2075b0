// The snapshot: one pass over the tree that people see, slots and shadow roots resolved. What did not change since the last pass is
// not visited again. Each element with a meaning becomes a line; the engine keeps the lines and is told only those that differ.

/** What an element passes on to what is in it. */
const CONCEALED = 1; // nobody sees text in here
const POINTER = 2; // the cursor is a pointer already: only the outermost element is the one to click
const NAMED = 4; // the text in here is in the name of an element around it
const OUTSIDE = 8; // an open modal dialog makes it inert, but the dialog may be in here
const INVISIBLE = 16; // visibility: hidden, unless it says otherwise itself
const ITEMS = 32; // what is in here are items of a flex box or grid: each stands for itself
const SHADOWED = 64; // it is in a shadow root or put into one, where other style sheets hold
const UNREADABLE = 128; // text is drawn with no size, no colour or elsewhere, unless it says otherwise itself

/** Between two runs of text that are not on one line. */
const BREAK = Symbol('break');
const NOTHING = [];

/** Roles that are there to be used: their elements always have a ref. */
const INTERACTIVE = new Set([
  'button', 'link', 'checkbox', 'radio', 'switch', 'textbox', 'searchbox', 'combobox', 'listbox', 'spinbutton', 'slider', 'tab', 'menuitem',
  'menuitemcheckbox', 'menuitemradio', 'treeitem', 'scrollbar', 'colorwell',
]);
/** Roles whose elements can be named although they are no controls, to look at them alone. */
const WORTH_NAMING = new Set([
  'dialog', 'alertdialog', 'table', 'grid', 'treegrid', 'form', 'main', 'navigation', 'region', 'banner', 'complementary', 'contentinfo',
  'search', 'iframe', 'article', 'tabpanel', 'menu', 'tree',
]);
/** Roles of words in running text. Unless there is more to say of them, they are that text, with its blanks where they are. */
const WORDS = new Set(['strong', 'emphasis', 'code', 'subscript', 'superscript', 'deletion', 'insertion', 'time', 'mark']);
const MEANINGLESS = new Set(['generic', 'none', 'presentation', '']);
/** What is in these is no content of the page. */
const CLOSED = new Set(['iframe', 'textarea', 'img', 'input', 'video', 'audio', 'object', 'embed', 'canvas', 'meter', 'progress']);
const FIELD_TAGS = new Set(['input', 'textarea', 'select', 'progress', 'meter']);
const LABELABLE = new Set([...FIELD_TAGS, 'button', 'output']);
/** These have states although they may have no attributes. */
const STATEFUL_TAGS = new Set(['option', 'summary', 'details']);
/** Elements whose name comes from elsewhere in the page. @type {Set<Element>} */
const namedElsewhere = new Set();
/** Elements that were put elsewhere by aria-owns, with their owners. @type {Map<Element, Element>} */
let owners = new Map();
/** Elements that may have a closed shadow root and were not asked about yet. @type {Set<Element>} */
const candidates = new Set();
/** The open modal dialog and everything around it. @type {Set<Node> | null} */
let around = null;
/** The lines of this pass. @type {string[]} */
let lines = [];
/** How deep the walk goes before it puts off what is further in: the stack of a page's thread ends at some hundred levels. */
const DEEPEST = 200;
let depth = 0;
/** What was put off. @type {(() => void)[]} */
let putOff = [];

/** @param {Memory} memory */
const hide = (element, memory, why) => {
  memory.hidden = why;
  memory.line = '';
  memory.shown = NOTHING;
  if (why !== HIDDEN_SAID) hiddenOnes.add(element);
};

/**
 * Adds to `out` what the element shows: its number if it is a node, otherwise what is in it.
 * @param {Element} element @param {Element | null} parent @param {number} inherited @param {boolean} deep visit everything in it
 * @param {(number | string | symbol)[]} out
 */
const visit = (element, parent, inherited, deep, out) => {
  const memory = memoryOf(element);
  if (!deep && memory.stale === 0 && memory.shown !== null && memory.inherited === inherited && memory.parent === parent) {
    if (typeof memory.shown === 'number') out.push(memory.shown);
    else for (const entry of memory.shown) out.push(entry);
    return;
  }
  deep ||= memory.stale === 2 || memory.inherited !== inherited || memory.parent !== parent;
  memory.stale = 0;
  memory.inherited = inherited;
  memory.parent = parent;
  const tag = tagOf(element);
  if (NEVER_VISITED.has(tag)) return void (memory.shown = NOTHING);
  const styled = hasAny(element);
  if (styled && (attribute(element, 'aria-hidden') === 'true' || has(element, 'inert'))) return hide(element, memory, HIDDEN_SAID);
  if (inherited & OUTSIDE && !around.has(element)) return hide(element, memory, HIDDEN_SAID);
  const shape = inherited & (SHADOWED | UNREADABLE) || memory.odd ? SHAPE_ALL : shapeOf(element, tag, styled);
  const style = shape === 0 ? null : styleOf(element);
  let display = shape & SHAPE_DISPLAY ? style.display : PLAIN.get(tag);
  if (display === 'none' && tag !== 'area') return hide(element, memory, HIDDEN_NOT_RENDERED);
  if (shape & SHAPE_OVERFLOW && clipsToNothing(element, style)) return hide(element, memory, HIDDEN_CLIPPED);
  const visible = shape & SHAPE_VISIBILITY ? style.visibility === 'visible' : !(inherited & INVISIBLE);
  const pointer = shape & SHAPE_CURSOR ? style.cursor === 'pointer' : plainPointer(element, tag, (inherited & POINTER) !== 0);
  // An item of a flex box is a box of its own, whatever its tag.
  if (inherited & ITEMS && display === 'inline') display = 'block';
  let inner = inherited & ~(POINTER | INVISIBLE | ITEMS | UNREADABLE);
  if (pointer) inner |= POINTER;
  if (!visible) inner |= INVISIBLE;
  if (display.endsWith('flex') || display.endsWith('grid')) inner |= ITEMS;
  if (shape & SHAPE_TEXT && hidesText(style)) inner |= UNREADABLE;
  const concealed = !(inherited & CONCEALED) && shape !== 0 && conceals(element, style, shape);
  if (concealed) inner |= CONCEALED;
  const hidden = !visible ? HIDDEN_INVISIBLE : concealed ? HIDDEN_CONCEALED : 0;
  if (memory.hidden || hidden) {
    memory.hidden = hidden;
    if (hidden) hiddenOnes.add(element);
    else hiddenOnes.delete(element);
  }
  if (element === lastModal) inner &= ~OUTSIDE;
  const number = visible ? numberOf(element, memory) : 0;
  const label = tag === 'label' && visible ? labelOf(element) : null;
  if (label?.visible) inner |= NAMED;
  const stoodFor = label?.standsIn ? label.control : element;
  const start = out.length;
  let node = visible && (FIELD_TAGS.has(tag) ? !isStoodFor(element, tag) : true)
    ? nodeOf(element, stoodFor, memory, tag, styled, inherited, inner) : null;
  if (!node && (depth >= DEEPEST || memory.pinned) && tag !== 'br' && !CLOSED.has(tag)) {
    // Only a node can be told without what is in it, or be named. One that means nothing is left out again where it is shown.
    node = { role: 'generic', name: '', properties: '', usable: false, leaf: false };
  }
  if (!node) {
    const block = display !== 'inline' && display !== 'contents' ? (display.startsWith('inline') ? ' ' : BREAK) : null;
    if (block) out.push(block);
    if (tag === 'br') out.push(' ');
    else if (!CLOSED.has(tag)) visitInside(element, memory, tag, style, shape, styled, inner, deep, out, visible);
    if (block) out.push(block);
    memory.line = '';
    memory.shown = out.length > start ? out.slice(start) : NOTHING;
    return;
  }
  memory.shown = number || numberOf(element, memory);
  out.push(memory.shown);
  const opened = !CLOSED.has(tag) && !label?.standsIn;
  if (depth < DEEPEST || !opened) tell(element, memory, node, tag, style, shape, styled, inner, deep, visible, opened);
  else putOff.push(() => tell(element, memory, node, tag, style, shape, styled, inner, deep, visible, opened));
};

/** Visits what is in a node and writes its line. */
const tell = (element, memory, node, tag, style, shape, styled, inner, deep, visible, opened) => {
  const entries = [];
  if (node.leaf) inner |= NAMED;
  else if (tag === 'select' || tag === 'output') inner &= ~NAMED; // a label's name is not what its field holds
  if (opened) visitInside(element, memory, tag, style, shape, styled, inner, deep, entries, visible);
  if (node.usable && !node.name && entries.every(saysNothing)) node.properties += hintOf(element);
  const line = `${memory.shown}\t${node.role}\t${node.name}${node.properties}${childFields(entries)}`;
  if (deep || line !== memory.line) lines.push(line);
  memory.line = line;
};

/** What is in an element, as it is shown: its shadow root, what is assigned to a slot, or its children, and what it owns. */
const visitInside = (element, memory, tag, style, shape, styled, inner, deep, out, visible) => {
  if (shape & SHAPE_CONTENT && style.contentVisibility === 'hidden') return;
  depth++;
  const silent = inner & (NAMED | CONCEALED | OUTSIDE | UNREADABLE) || !visible;
  const decorated = !silent && (styled || tag === 'q' || inner & SHADOWED || plainScope === null || plainScope.before !== null || plainScope.after !== null);
  if (decorated) addPseudo(element, '::before', out);
  const root = shadowRootOf(element);
  if (root) {
    watch(root);
    inner |= SHADOWED;
    visitChildren(firstChild(root), element, inner, deep, out, silent);
  } else if (tag === 'slot') {
    const assigned = assignedNodes.call(element);
    if (assigned.length === 0) visitChildren(firstChild(element), element, inner, deep, out, silent);
    for (const node of assigned) visitNode(node, element, inner, deep, out, silent);
  } else if (tag === 'details' && !has(element, 'open')) {
    for (let child = firstChild(element); child; child = nextSibling(child)) {
      if (nodeType(child) === 1 && tagOf(child) === 'summary') {
        visitNode(child, element, inner, deep, out, silent);
        break;
      }
    }
  } else {
    if (!memory.asked && mayHoldClosedRoot(element, tag)) candidates.add(element);
    if (tag.includes('-') && !matches(element, ':defined')) undefinedOnes.add(element);
    visitChildren(firstChild(element), element, inner, deep, out, silent);
  }
  if (styled && owners.size > 0 && has(element, 'aria-owns')) {
    for (const [owned, owner] of owners) if (owner === element) visit(owned, element, inner, deep, out);
  }
  if (decorated) addPseudo(element, '::after', out);
  depth--;
};

const visitChildren = (child, parent, inner, deep, out, silent) => {
  for (; child; child = nextSibling(child)) visitNode(child, parent, inner, deep, out, silent);
};

const visitNode = (node, parent, inner, deep, out, silent) => {
  const type = nodeType(node);
  if (type === 3) {
    if (!silent) out.push(data(node));
  } else if (type === 1 && (owners.size === 0 || !owners.has(node))) {
    visit(node, parent, inner, deep, out);
  }
};

/** A name that is longer is a text; the rest of it is in what can be read. */
const LONGEST_NAME = 500;

/** Letters of private use are icons; nobody can read them. */
const ICONS = /[\u{e000}-\u{f8ff}\u{f0000}-\u{10ffff}]/gu;
const addPseudo = (element, which, out) => {
  const text = pseudoText(element, which);
  if (text) out.push(text.replace(ICONS, ''));
};

/** The node that an element is, or null if it means nothing by itself. */
const nodeOf = (element, stoodFor, memory, tag, styled, inherited, inner) => {
  let role = tag === 'html' ? 'none' : roleOf(stoodFor);
  const usable = isUsable(element, memory, tag, role, styled, inherited, inner);
  if (MEANINGLESS.has(role)) {
    if (!usable) return null;
    role = styled && isEditingHost(element) ? 'textbox' : 'generic';
  }
  // A picture of a pixel is for counting, and a frame of one for nobody.
  if ((tag === 'img' || tag === 'iframe') && isPixel(element)) return null;
  const holdsValue = FIELD_TAGS.has(tag) || tag === 'output';
  if (!usable && !holdsValue && (inherited & NAMED || inner & (OUTSIDE | CONCEALED))) return null;
  let name = '';
  let leaf = false;
  if (nameFromContentRole(role) && role !== 'row' && role !== 'cell' && role !== 'gridcell') {
    name = nameOf(stoodFor, role);
    leaf = name !== '' && isNamedByContent(stoodFor, role, name);
  } else {
    name = authorName(stoodFor, role);
  }
  const isField = FIELD_TAGS.has(tagOf(stoodFor));
  if (mayBeNamedElsewhere(stoodFor, styled)) namedElsewhere.add(element);
  if (isField) {
    fields.add(stoodFor);
    memoryOf(stoodFor).state = fieldState(stoodFor);
  }
  if (name.length > LONGEST_NAME) name = name.slice(0, LONGEST_NAME) + '…';
  let properties = '';
  if (styled || usable || isField || STATEFUL_TAGS.has(tag) || role === 'heading') {
    for (const state of statesOf(stoodFor, role)) properties += '\t' + state;
    // What is only said to some is only worth it where something is to be used.
    const description = styled && usable ? descriptionOf(stoodFor, name) : '';
    if (description) properties += '\tdescription=' + description;
    if (role === 'link' && styled) properties += urlOf(element);
  }
  if (WORDS.has(role) && !usable && name === '' && properties === '') return null;
  if (tag === 'iframe' || tag === 'frame') properties += '\tframe=' + frameIndex(element);
  if (usable || WORTH_NAMING.has(role)) properties += '\tref';
  return { role, name, properties, usable, leaf };
};

/** Whether the name can change without a change in the element itself: by what it refers to, or by a label. */
const mayBeNamedElsewhere = (element, styled) =>
  (styled && (has(element, 'aria-labelledby') || has(element, 'aria-describedby'))) ||
  (LABELABLE.has(tagOf(element)) && ((styled && has(element, 'id')) || closest(element, 'label') !== null));

/** Whether there is nothing to say of the content that the name does not say already. */
const isNamedByContent = (element, role, name) =>
  !hasAny(element) || authorName(element, role) === '' || name.includes(flat(textContent(element)));

/** Whether the element is there to be clicked, typed into or dragged, by its role or by any sign that a script waits for that. */
const isUsable = (element, memory, tag, role, styled, inherited, inner) => {
  if (INTERACTIVE.has(role)) return true;
  if (tag === 'html' || tag === 'body') return false;
  if (role === 'option') return memory.parent !== null && roleOf(memory.parent) !== 'combobox' && closest(element, 'select:not([multiple], [size])') === null;
  if (memory.listens) return true;
  if (inner & POINTER && !(inherited & POINTER) && !(tag === 'label' && labelOf(element)?.visible)) return true;
  if (!styled) return false;
  if ((tag === 'video' || tag === 'audio') && has(element, 'controls')) return true;
  const focus = attribute(element, 'tabindex');
  return focus !== null && parseInt(focus, 10) >= 0 || isEditingHost(element) || attribute(element, 'draggable') === 'true' || has(element, 'onclick');
};

/** What a label stands for. A box that is too small to be aimed at has its label stand in for it. */
const labelOf = label => {
  const { control } = label;
  if (!control) return null;
  const visible = !isTiny(control);
  const standsIn = !visible && control.localName === 'input' && /^(?:checkbox|radio|file)$/.test(control.type);
  return { control, visible, standsIn };
};

const isStoodFor = (field, tag) => tag === 'input' && standInOf(field) !== null;

/** The label that stands in for a field, if one does. */
const standInOf = field => {
  if (tagOf(field) !== 'input' || !/^(?:checkbox|radio|file)$/.test(field.type)) return null;
  const labels = labelsOf(field);
  if (labels === null || !isTiny(field)) return null;
  for (const label of labels) if (!isTiny(label)) return label;
  return null;
};

const LONGEST_URL = 300;
const urlOf = link => {
  const href = attribute(link, 'href') ?? attribute(link, 'xlink:href');
  if (href === null) return '';
  const url = flat(href);
  return '\turl=' + (url.length > LONGEST_URL ? url.slice(0, LONGEST_URL) + '…' : url);
};

/** Which of the window's frames an element holds; -1 if it cannot be told, as in a shadow root. */
const frameIndex = frame => {
  const inner = frame.contentWindow;
  for (let at = 0; inner && at < window.length; at++) if (window[at] === inner) return at;
  return -1;
};

/** Whether there is nothing to read in what an element shows: blanks, or a picture without a name. */
const saysNothing = entry =>
  typeof entry === 'string' ? flat(entry) === '' : entry === BREAK || memoryOf(elements.get(entry)).line === `${entry}\timg\t`;

/** Something that tells apart what has neither name nor text: an icon's file or class, the colour of a box. */
const hintOf = element => {
  const icon = select(element, 'use, img, [data-icon]')[0] ?? select(element, 'i, svg, [class*=icon]')[0] ?? element;
  const reference = attribute(icon, 'href') ?? attribute(icon, 'xlink:href') ?? attribute(icon, 'src') ?? attribute(element, 'href');
  const file = reference && !reference.startsWith('data:') ? reference.split(/[?]/)[0].split(/[/#]/).pop() : '';
  const words = attribute(icon, 'data-icon') || attribute(element, 'data-testid') || file || attribute(element, 'name') || attribute(element, 'id') ||
    attribute(icon, 'class') || attribute(element, 'class') || '';
  const colour = FIELD_TAGS.has(tagOf(element)) ? 'transparent' : styleOf(element).backgroundColor;
  const shape = namespaceOf(element) === SVG ? `${tagOf(element)} ${styleOf(element).fill}` : NO_COLOUR.test(colour) ? '' : colour;
  // A button has some colour anyway; anything else may be told by its colour alone.
  const hint = flat(INTERACTIVE.has(roleOf(element)) ? words || shape : `${words} ${shape}`);
  return hint ? '\thint=' + hint.slice(0, 80) : '';
};

const mayHoldClosedRoot = (element, tag) => {
  if (tag.includes('-')) return true;
  if (firstChild(element) !== null || !HOSTS.has(tag)) return false;
  const { width, height } = boxOf(element);
  return width > 0 && height > 0;
};

/** The entries as fields of a line: numbers, and runs of text behind a quote. */
const childFields = entries => {
  if (entries.length === 0) return '';
  let written = '\t';
  let text = '';
  for (const entry of entries) {
    if (typeof entry === 'string') {
      text += entry;
      continue;
    }
    if (text !== '' && (text = flat(text)) !== '') written += "\t'" + text;
    text = '';
    if (entry !== BREAK) written += '\t' + entry;
  }
  if (text !== '' && (text = flat(text)) !== '') written += "\t'" + text;
  return written === '\t' ? '' : written;
};
