// What descriptions in plain words ask for besides the snapshot: how elements are nested and where they are, and their colours.

/** Fields whose kind is known from their attributes when nothing names them. */
const FIELD_WORDS = ['type', 'name', 'id', 'autocomplete', 'data-testid'];
/** What containers are called by those who made them. */
const CONTAINER_WORDS = ['role', 'id', 'class', 'aria-label', 'data-testid'];
const LONGEST_WORDS = 100;
/** What is wider is no button with a picture in it. */
const LARGEST_ICON = 400;

/**
 * Everything that is shown, wrappers and texts included, in document order: depth, number (0 for a text), box (left, top, width, height),
 * tag and attributes in words, text. Nodes of the snapshot have the numbers that they have there.
 * @returns {string}
 */
const outline = () => {
  const written = [];
  const range = document.createRange();
  const write = (level, number, { left, top, width, height }, words, text) =>
    written.push(`${level}\t${number}\t${[left, top, width, height].map(Math.round).join(' ')}\t${words}\t${text}`);
  /** @type {[Node, number][]} what is still to be told, the next one last */
  const pending = [];
  const html = documentElement(document);
  if (html) pending.push([html, 0]);
  while (pending.length > 0) {
    const [node, level] = pending.pop();
    if (nodeType(node) === 3) {
      const text = flat(data(node));
      if (text === '') continue;
      range.selectNodeContents(node);
      write(level, 0, range.getBoundingClientRect(), '', text);
      continue;
    }
    const memory = memoryOf(node);
    const { shown } = memory;
    if (memory.number === 0 || shown === null || (shown.length === 0 && memory.hidden)) continue;
    const tag = tagOf(node);
    const frame = tag === 'iframe' ? insetOf(node) : [0, 0];
    const { left, top, width, height } = boxOf(node);
    const box = { left: left + frame[0], top: top + frame[1], width, height };
    write(level, memory.number, box, wordsOf(node, tag), 
      memory.line === '' ? '' : FIELD_TAGS.has(tag) ? flat(attribute(node, 'class') ?? '').slice(0, LONGEST_WORDS) : width < LARGEST_ICON ? iconOf(node) : '');
    if (CLOSED.has(tag)) continue;
    const inside = insideOf(node, tag, saysText(node, memory));
    for (let at = inside.length - 1; at >= 0; at--) pending.push([inside[at], level + 1]);
  }
  return written.join('\n');
};

/** What the picture in a button is called by its author: a class of a font of icons, a part of a file of pictures. */
const iconOf = element => {
  const icon = select(element, 'i[class], svg[class], svg[data-icon], [class*=icon], [class*=Icon]')[0];
  const used = select(element, 'use')[0];
  const file = used ? (attribute(used, 'href') ?? attribute(used, 'xlink:href') ?? '').split('#').pop() : '';
  const words = icon ? `${attribute(icon, 'class') ?? ''} ${attribute(icon, 'data-icon') ?? ''}` : '';
  const opens = has(element, 'aria-haspopup') ? 'haspopup' : '';
  return flat(`${words} ${file} ${opens}`).slice(0, LONGEST_WORDS);
};

/** What is in an element as it is shown: shadow roots, slots, what it owns. */
const insideOf = (element, tag, readable) => {
  const root = shadowRootOf(element) ?? element;
  const inside = [];
  const assigned = tag === 'slot' ? assignedNodes.call(element) : [];
  if (assigned.length > 0) inside.push(...assigned);
  else for (let node = firstChild(root); node !== null; node = nextSibling(node)) inside.push(node);
  const isClosed = tag === 'details' && !has(element, 'open');
  const kept = inside.filter(node => {
    if (nodeType(node) === 3) return readable && !isClosed;
    if (nodeType(node) !== 1 || NEVER_VISITED.has(tagOf(node)) || owners.has(node)) return false;
    return !isClosed || tagOf(node) === 'summary';
  });
  if (owners.size > 0) for (const [owned, owner] of owners) if (owner === element) kept.push(owned);
  return kept;
};

/** Whether people can read text that is directly in an element. @param {Element} element @param {Memory} memory */
const saysText = (element, memory) =>
  memory.hidden === 0 && !(memory.inherited & (CONCEALED | OUTSIDE)) && showsText(styleOf(element));

/** The tag and what its author wrote that says what it is for. */
const wordsOf = (element, tag) => {
  if (!hasAny(element)) return tag;
  const names = FIELD_TAGS.has(tag) || tag === 'button' ? FIELD_WORDS : CONTAINER_WORDS;
  const words = [tag];
  for (const name of names) if (has(element, name)) words.push(attribute(element, name));
  const told = flat(words.join(' ')).slice(0, LONGEST_WORDS);
  // Told last: a field that only an example names is called by what stands beside it as well.
  const example = FIELD_TAGS.has(tag) ? flat(attribute(element, 'placeholder') ?? '') : '';
  return example === '' ? told : `${told} placeholder=${example}`;
};

/**
 * The colours of elements, each as `rgb(…)`: of the background, the text, the border and the drawing in it; an empty string for none.
 * @param {number[]} numbers @returns {string[][]}
 */
const looks = numbers => numbers.map(number => {
  const element = elementOf(number);
  if (!element) return [];
  const style = styleOf(element);
  const drawing = namespaceOf(element) === SVG ? element : select(element, 'svg path, svg circle, svg rect, svg')[0];
  const fill = drawing ? styleOf(drawing).fill : '';
  return [
    backgroundOf(element, style),
    // A shape has the colour that it is filled with, and no text.
    namespaceOf(element) === SVG && tagOf(element) !== 'text' && tagOf(element) !== 'svg' ? '' : style.color,
    parseFloat(style.borderTopWidth) > 0 ? style.borderTopColor : '',
    fill === 'none' || fill === '' ? '' : fill,
  ].map(colour => (NO_COLOUR.test(colour) ? '' : colour));
});

/** What an element is painted with; a child that fills it stands for it. */
const backgroundOf = (element, style) => {
  const gradient = /gradient\(.*?(rgba?\([^)]*\))/.exec(style.backgroundImage)?.[1];
  if (gradient) return gradient;
  if (!NO_COLOUR.test(style.backgroundColor)) return style.backgroundColor;
  const only = [...select(element, ':scope > *')];
  if (only.length !== 1) return '';
  const box = boxOf(element);
  const inner = boxOf(only[0]);
  if (inner.width * inner.height < 0.7 * box.width * box.height) return '';
  return styleOf(only[0]).backgroundColor;
};

Object.assign(api, { outline, looks });
