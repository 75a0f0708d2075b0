// The controls of a page: links, buttons, fields, selects, checkboxes and radio buttons that can be seen, each with a selector.

const CONTROL_TAGS = new Set(['a', 'button', 'input', 'textarea', 'select']);
/** A longer text is cut. */
const LONGEST_TEXT = 200;
const MOST_OPTIONS = 200;

/** @param {Element} element @returns {string | null} what kind of control it is */
const controlKind = element => {
  if (namespaceOf(element) !== 'http://www.w3.org/1999/xhtml') return null;
  switch (tagOf(element)) {
    case 'a':
      return has(element, 'href') ? 'link' : null;
    case 'button':
      return 'button';
    case 'textarea':
      return 'input';
    case 'select':
      return 'select';
    case 'input': {
      const type = inputType(element);
      if (type === 'hidden') return null;
      if (BUTTONS.has(type)) return 'button';
      return type === 'checkbox' || type === 'radio' ? type : 'input';
    }
    default:
      return null;
  }
};

/** @type {(text: string) => string} */
const short = text => {
  const line = flat(withoutUnseen(text));
  const characters = line.length > LONGEST_TEXT ? [...line] : [];
  return characters.length > LONGEST_TEXT ? `${characters.slice(0, LONGEST_TEXT).join('')}…` : line;
};

/** @param {Element} element @returns {string} what is written on it */
const ownText = (element, reach) => short(tagOf(element) === 'input' ? buttonText(element) : seenText(element, reach));

/** @param {Element} element @returns {string} what people call it */
const titleFor = element => short(nameOf(element, roleOf(element)) || attribute(element, 'name') || attribute(element, 'id') || '');

/** @param {Element} select @returns {string[]} */
const optionTexts = select => {
  const options = [...optionsOf(select)];
  const texts = options.slice(0, MOST_OPTIONS).map(option => short(optionLabel(option)));
  return options.length > MOST_OPTIONS ? [...texts, `… (+${options.length - MOST_OPTIONS})`] : texts;
};

/** @returns {object[]} in document order */
const controls = () => {
  // A frame that is not shown has no size.
  if (innerWidth <= 1 || innerHeight <= 1) return [];
  beginNames();
  const elements = [...everyElement()];
  const selectors = new Selectors(elements, CONTROL_TAGS);
  const reach = reachOfPage();
  const isSeen = makeSeer();
  const found = [];
  for (const element of elements) {
    const kind = CONTROL_TAGS.has(tagOf(element)) ? controlKind(element) : null;
    if (!kind) continue;
    const isMark = kind === 'checkbox' || kind === 'radio';
    const isDrawn = isMark || (tagOf(element) === 'input' && inputType(element) === 'file');
    // Pages hide the mark itself and draw their own on its label.
    if (!isSeen(element) && !(isDrawn && labelsOf(element)?.some(isSeen))) continue;
    const number = numberOf(element);
    const text = kind === 'link' || kind === 'button' ? ownText(element, reach) : undefined;
    const control = { kind, number, label: titleFor(element), text, selector: selectors.of(element) };
    if (kind === 'input') control.type = tagOf(element) === 'textarea' ? 'textarea' : inputType(element);
    if (kind === 'select') control.options = optionTexts(element);
    if (isMark) control.checked = inputChecked(element);
    found.push(control);
  }
  return found;
};

/** @param {string[]} selectors @returns {number[]} the places of those that mean something here, as `locate` looks */
const matching = selectors => {
  const all = [...roots()];
  const means = selector => all.some(root => select(root, selector).length > 0);
  return selectors.flatMap((selector, at) => (means(selector) ? [at] : []));
};

Object.assign(api, { content, html, controls, matching });
