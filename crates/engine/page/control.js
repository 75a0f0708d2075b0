// Which control an element stands for, and of what kind it is: itself, the one that it labels, the only one in it or beside it.

const inputKind = getter(HTMLInputElement.prototype, 'type');
const labelled = getter(HTMLLabelElement.prototype, 'control');
const isEditable = getter(HTMLElement.prototype, 'isContentEditable');

const NO_TEXT = new Set(['button', 'submit', 'reset', 'image', 'hidden']);
const TICKED = new Set(['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio']);
/** Roles of what stands around a field and passes for it. */
const AROUND_FIELD = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton']);

const isEdited = element => element instanceof HTMLElement && (isEditable(element) || isOwnEditor(element));

/** What a label says that it is for, whatever that is. */
const labelOfWhat = label => labelled(label) ?? (has(label, 'for') ? byId(rootOf(label), attribute(label, 'for')) ?? null : null);

/** The control that an element stands for: the one that it labels, or the only one in a thing that passes for a field. */
const controlFor = element => {
  const tag = tagOf(element);
  if (tag === 'label') {
    const labels = labelOfWhat(element);
    // A label may be for something that only holds the control.
    return labels === null ? element : (isField(labels) || isEdited(labels) ? labels : onlyControlIn(labels)) ?? labels;
  }
  if (isField(element) || tag === 'select' || isEdited(element)) return element;
  return AROUND_FIELD.has(roleOf(element)) || tag.includes('-') ? onlyControlIn(element) ?? element : element;
};

const onlyControlIn = element => {
  const found = [];
  for (const root of rootsIn(element)) {
    const fields = select(root, 'input, textarea, select, [contenteditable], [role=slider i]');
    for (const field of fields) if (kindOfField(field) !== 'none' && isThere(field)) found.push(field);
  }
  // Some have another field beside it, which nobody is to know of.
  const offered = found.length > 1 ? found.filter(isOffered) : found;
  return offered.length === 1 ? offered[0] : null;
};

/** What people set, in forms; and frames, which may be editors. */
const SET =
  'input, textarea, select, [contenteditable], iframe, [role=textbox i], [role=searchbox i], [role=spinbutton i], [role=slider i], [role=combobox i], ' +
  '[role=listbox i], [aria-haspopup=listbox i], [role=checkbox i], [role=switch i], [role=radio i]';
/** How far out from a text what it belongs to is looked for, and how large a part of the page may be to belong together. */
const MOST_AROUND = 5;
const MOST_IN_PART = 300;
const TALLEST_PART = 300;

/**
 * What a text stands beside: the only control in the smallest part of the page that has the text and something to use in it. Many forms are
 * made so, without a word about which label is whose. What goes by another name is not meant.
 * @param {Element} element @param {(control: Element) => boolean} isMeant @param {string} [controls] what counts @returns {Element | null}
 */
const controlBeside = (element, isMeant, controls = SET) => {
  if (isFocusable(element) || matches(element, `${SET}, button, a[href]`) || (tagOf(element) === 'label' && labelOfWhat(element) !== null)) return null;
  let around = holderOf(element);
  for (let up = 0; up < MOST_AROUND && around && !contains(around, bodyOf(document)); up++, around = holderOf(around)) {
    if (boxOf(around).height > TALLEST_PART || select(around, '*').length > MOST_IN_PART) return null;
    const found = [...rootsIn(around)].flatMap(root => [...select(root, `${controls}, button, a[href]`)]).filter(isOffered);
    if (found.length === 0) continue;
    // A list may be a field in a box, and both say that they are one; buttons of a field are in it or beside it.
    const set = found.filter(control => matches(control, controls));
    const outer = set.filter(control => !set.some(other => other !== control && contains(other, control)));
    return outer.length === 1 && !goesByAnother(outer[0], element) ? set.find(isMeant) ?? null : null;
  }
  return null;
};
const isOffered = control => {
  if (control instanceof HTMLInputElement && NO_TEXT.has(inputKind(control))) return false;
  return isRendered(control) && closest(control, '[aria-hidden=true i]') === null;
};

const goesByAnother = (control, text) => {
  const isNamed = has(control, 'aria-label') || has(control, 'aria-labelledby') || (labelsOf(control)?.length ?? 0) > 0;
  return isNamed && !flat(nameOf(control, roleOf(control))).includes(flat(seenText(text)));
};

/** An element and all shadow roots in it. */
function* rootsIn(element) {
  yield* roots(element);
  const own = shadowRootOf(element);
  if (own) yield* roots(own);
}

/** @returns {'text' | 'value' | 'editable' | 'list' | 'tick' | 'slider' | 'file' | 'none'} how it is filled */
const kindOfField = element => {
  const tag = tagOf(element);
  const role = roleOf(element);
  if (tag === 'textarea') return 'text';
  if (tag === 'select') return 'list';
  if (tag === 'input') {
    const type = inputKind(element);
    if (type === 'checkbox' || type === 'radio') return 'tick';
    if (type === 'file') return 'file';
    if (NO_TEXT.has(type)) return 'none';
    if (type === 'range' || (type in FORMATS && type !== 'number')) return 'value';
    // Some lists are an input that shows what was chosen.
    return role === 'combobox' && has(element, 'readonly') ? 'list' : 'text';
  }
  if (isEdited(element)) return 'editable';
  if (TICKED.has(role)) return 'tick';
  if (role === 'combobox' || role === 'listbox') return 'list';
  return role === 'slider' && isNumber(attribute(element, 'aria-valuenow') ?? '') ? 'slider' : 'none';
};
