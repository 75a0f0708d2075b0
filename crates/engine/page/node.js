// What an element is in the snapshot: its role, name and states, whether it can be used, and what tells it apart if it has no name.

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
/** A name that is longer is a text; the rest of it is in what can be read. */
const LONGEST_NAME = 500;

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
  // The name of what is around a frame says nothing of what is in it.
  const isSaid = inherited & NAMED && tag !== 'iframe' && tag !== 'frame';
  if (!usable && !holdsValue && (isSaid || inner & (OUTSIDE | CONCEALED))) return null;
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
  // A click on a label is one on its control, which has the label's words for a name.
  const isSaid = tag === 'label' && labelOf(element)?.visible;
  if (memory.listens && !isSaid) return true;
  if (memory.hovers && !(inherited & (NAMED | POINTER)) && !isSaid && isHovered(element, role)) return true;
  if (inner & GRIP && !(inherited & GRIP)) return true;
  if (tag === 'canvas' && isInPopup(element)) return true;
  if (inner & POINTER && !(inherited & POINTER) && !isSaid) return true;
  if (!styled) return false;
  if ((tag === 'video' || tag === 'audio') && has(element, 'controls')) return true;
  const focus = attribute(element, 'tabindex');
  // What the arrow keys lead to is not on the way of the tab key: a day of a calendar. Neither are large parts that scripts give the focus.
  const isStop = focus !== null && (parseInt(focus, 10) >= 0 || (has(element, 'aria-label') && isLeaf(element)));
  return isStop || isEditingHost(element) || attribute(element, 'draggable') === 'true' || has(element, 'onclick');
};

/** Cursors that say that something can be dragged, or drawn on. */
const GRIPS = /resize$|^(?:grab|grabbing|move|all-scroll|crosshair)$/;

/** What a script waits for the pointer above of: a word with a tip, a part of a menu. Rows and cells are only given another colour. */
const isHovered = (element, role) =>
  (MEANINGLESS.has(role) || role === 'img' || role === 'listitem') && select(element, HOLDS_CONTROL).length === 0 && textContent(element).length <= LONGEST_HOVERED;
const HOLDS_CONTROL = 'a[href], button, input, select, textarea, [tabindex], [onclick], [role=button]';
const LONGEST_HOVERED = 200;

/** A canvas that nobody listens on by itself may still be all that is to be seen of what opened above the page: a colour picker. */
const isInPopup = canvas => {
  const { width, height } = boxOf(canvas);
  if (width * height < LEAST_CANVAS || styleOf(canvas).pointerEvents === 'none') return false;
  let levels = 0;
  for (let at = holderOf(canvas); at && levels < POPUP_LEVELS; at = holderOf(at), levels++) {
    const { position, zIndex } = styleOf(at);
    if ((position === 'absolute' || position === 'fixed') && zIndex > 0) return true;
  }
  return false;
};
/** In square pixels: an icon is smaller. */
const LEAST_CANVAS = 1000;
/** How far in a popup it may be. */
const POPUP_LEVELS = 6;

const isLeaf = element => firstElementIn(element) === null;

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

/** Words that are states where they are classes, by themselves or as frameworks write them: `is-open`, `tab--current`, `Mui-selected`. */
const STATE_CLASS = /^(?:is-|Mui-|.+--)?(selected|active|checked|pressed|chosen|current|on|open|disabled|completed)$/;
const MAY_BE_STATE = /ed\b|\bo[np]|-o[np]|active|current|chosen/;
const SAYS_STATE = ['aria-selected', 'aria-checked', 'aria-pressed', 'aria-expanded', 'aria-disabled'];
/**
 * What only a class says of what became of something that was used. Who says it properly, by an attribute or as a control of the browser's own, is not
 * asked for more, and what is in the hint is known.
 */
const classState = (element, { role, properties }) => {
  const classes = attribute(element, 'class');
  if (classes === null || !MAY_BE_STATE.test(classes) || CHECKABLE.has(role) || SAYS_STATE.some(name => has(element, name))) return '';
  const words = new Set();
  for (const word of classes.split(/\s+/)) {
    const state = STATE_CLASS.exec(word)?.[1];
    if (state !== undefined && !properties.includes(word) && !properties.includes('\t' + state + '\t')) words.add(state);
  }
  return words.size > 0 ? '\tclass=' + [...words].join(' ') : '';
};

/** Something that tells apart what has neither name nor text: an icon's file or class, the colour of a box. */
const hintOf = element => {
  const icon = select(element, 'use, img, [data-icon]')[0] ?? select(element, 'i, svg, [class*=icon]')[0] ?? element;
  const reference = attribute(icon, 'href') ?? attribute(icon, 'xlink:href') ?? attribute(icon, 'src') ?? attribute(element, 'href');
  const file = reference && !reference.startsWith('data:') ? reference.split(/[?]/)[0].split(/[/#]/).pop() : '';
  const classes = withoutHashes(attribute(icon, 'class') ?? '') || withoutHashes(attribute(element, 'class') ?? '');
  const own = withoutHashes(attribute(element, 'name') || attribute(element, 'id') || '');
  const isControl = INTERACTIVE.has(roleOf(element));
  // Of what is no control, a class may be all that shows what became of it: the mark in a square of a game.
  const words = attribute(icon, 'data-icon') || attribute(element, 'data-testid') || file || (own && isControl ? own : `${own} ${classes} ${icon === element ? '' : wayOf(element)}`);
  const colour = FIELD_TAGS.has(tagOf(element)) ? 'transparent' : styleOf(element).backgroundColor;
  const shape = namespaceOf(element) === SVG ? `${tagOf(element)} ${styleOf(element).fill}` : NO_COLOUR.test(colour) ? '' : colour;
  // A button has some colour anyway; anything else may be told by its colour alone.
  const room = LONGEST_HINT - (isControl ? 0 : shape.length + 1);
  let said = '';
  for (const word of new Set(flat(words).split(' '))) {
    if (said.length + word.length >= room) break;
    said += ' ' + word;
  }
  // A single word may be longer than all the room there is.
  said = flat(said) || flat(words).slice(0, room);
  const hint = flat(isControl ? said || shape : `${said} ${shape}`);
  return hint ? '\thint=' + hint : '';
};
const LONGEST_HINT = 80;

/** What tools make up, which says nothing and is another one in the next build: `css-1a2b3c`, `m_8fdc1311`, `sc-bdVaJa`, `:r1:`, `mantine-zlhk2x9aq-label`. */
const HASHES = new RegExp(
  [
    '(?<=^|\\s)(?:css-[a-zA-Z0-9]+|mantine-[a-z0-9]{9}|m_[0-9a-f]{6,})(?:-|(?=\\s|$))', '(?<=^|\\s)(?:sc|jsx|svelte)-\\w*[A-Z0-9]\\w*(?=\\s|$)',
    '(?<=^|\\s)(?=[a-z]*\\d+[a-z]+\\d)[a-z0-9]{6,}(?=\\s|$)', ':r\\w+:', '«r\\w+»', '_r_\\w+_',
  ].join('|'), 'g',
);
const withoutHashes = words => flat(words.replace(HASHES, ''));

/** Which way a button leads, where its icon does not tell: the one or the other of two arrows. */
const wayOf = element => {
  const direction = attribute(element, 'data-direction');
  return direction ?? (attribute(element, 'class') ?? '').split(/\s+/).find(word => WAYS.test(word)) ?? '';
};
const WAYS = /(?:^|[-_])(?:up|down|increment|decrement|increase|decrease|plus|minus|next|prev|previous|close|clear|remove|delete)$/i;
