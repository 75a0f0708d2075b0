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
const GRIP = 256; // the cursor says already that it can be dragged
const UNREADABLE = 128; // text is drawn with no size, no colour or elsewhere, unless it says otherwise itself

/** Between two runs of text that are not on one line. */
const BREAK = Symbol('break');
const NOTHING = [];

/** Elements whose name comes from elsewhere in the page. @type {Set<Element>} */
const namedElsewhere = new Set();
/** Elements that were put elsewhere by aria-owns, with their owners. @type {Map<Element, Element>} */
let owners = new Map();
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
  if (styled && has(element, 'inert')) return hide(element, memory, HIDDEN_SAID);
  if (inherited & OUTSIDE && !around.has(element)) return hide(element, memory, HIDDEN_SAID);
  if (styled && attribute(element, 'aria-hidden') === 'true') return visitUnsaid(element, memory, out);
  const shape = inherited & (SHADOWED | UNREADABLE) || memory.odd ? SHAPE_ALL : shapeOf(element, tag, styled);
  const style = shape === 0 ? null : styleOf(element);
  let display = shape & SHAPE_DISPLAY ? style.display : PLAIN.get(tag);
  if (display === 'none' && tag !== 'area') return hide(element, memory, HIDDEN_NOT_RENDERED);
  if (shape & SHAPE_OVERFLOW && clipsToNothing(element, style)) return hide(element, memory, HIDDEN_CLIPPED);
  const visible = shape & SHAPE_VISIBILITY ? style.visibility === 'visible' : !(inherited & INVISIBLE);
  const pointer = shape & SHAPE_CURSOR ? style.cursor === 'pointer' : plainPointer(element, tag, (inherited & POINTER) !== 0);
  const grip = shape & SHAPE_CURSOR ? GRIPS.test(style.cursor) : (inherited & GRIP) !== 0;
  // An item of a flex box is a box of its own, whatever its tag.
  if (inherited & ITEMS && display === 'inline') display = 'block';
  let inner = inherited & ~(POINTER | GRIP | INVISIBLE | ITEMS | UNREADABLE);
  if (pointer) inner |= POINTER;
  if (grip) inner |= GRIP;
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

/** Visits what nothing is said of: what a mouse can use of it has a line, without what is in it, and all the rest is hidden. */
const visitUnsaid = (element, memory, out) => {
  const parts = mouseParts(element, memory);
  if (parts.length === 0) return hide(element, memory, HIDDEN_SAID);
  const start = out.length;
  memory.hidden = 0;
  for (const part of parts) {
    const own = memoryOf(part);
    own.hidden = own.stale = 0;
    own.parent ??= parentNode(part);
    own.shown = numberOf(part, own);
    out.push(own.shown);
    const role = isButton(part) ? 'button' : 'generic';
    // Told each time: what it was in may have been hidden meanwhile, and the engine has forgotten it then.
    own.line = `${own.shown}\t${role}\t${mouseName(part)}\tref${hintOf(part)}`;
    lines.push(own.line);
  }
  if (parts[0] !== element) memory.shown = out.slice(start);
};

/** Visits what is in a node and writes its line. */
const tell = (element, memory, node, tag, style, shape, styled, inner, deep, visible, opened) => {
  const entries = [];
  const isPart = (inner & NAMED) !== 0;
  if (node.leaf) inner |= NAMED;
  else if (tag === 'select' || tag === 'output') inner &= ~NAMED; // a label's name is not what its field holds
  if (opened) visitInside(element, memory, tag, style, shape, styled, inner, deep, entries, visible);
  if (node.usable) {
    if (!node.name && entries.every(saysNothing)) node.properties += hintOf(element);
    // A part of what has a name and states of its own says them once more.
    if (styled && !isPart) node.properties += classState(element, node);
  }
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
    if (mayHoldClosedRoot(element, tag)) noteHost(element, memory);
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

/** Letters of private use are icons; nobody can read them. */
const ICONS = /[\u{e000}-\u{f8ff}\u{f0000}-\u{10ffff}]/gu;
const addPseudo = (element, which, out) => {
  const text = pseudoText(element, which);
  if (text) out.push(text.replace(ICONS, ''));
};

const mayHoldClosedRoot = (element, tag) => tag.includes('-') || (firstChild(element) === null && HOSTS.has(tag));

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
