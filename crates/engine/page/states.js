// What an element is at the moment: ticked, open, disabled, filled. Only what applies to its role and is not the usual is said.

const NO_STATES = Object.freeze([]);

/** Roles that have states without any attribute. */
const STATEFUL = new Set(
  `button checkbox combobox heading link listbox meter option progressbar radio searchbox slider spinbutton switch textbox`.split(' '),
);
/** The attributes that are states of some roles only (ARIA 1.2 §6.6). */
const CHECKABLE = new Set('checkbox radio switch menuitemcheckbox menuitemradio option treeitem'.split(' '));
const SELECTABLE = new Set('option tab gridcell row columnheader rowheader treeitem cell'.split(' '));
const DISABLED_BY_ARIA = new Set(
  `button checkbox combobox group gridcell link listbox menu menubar menuitem menuitemcheckbox menuitemradio option radio radiogroup
  scrollbar searchbox separator slider spinbutton switch tab tablist textbox toolbar tree treegrid treeitem grid columnheader rowheader
  row`.split(/\s+/),
);
const REQUIRABLE = new Set('checkbox combobox gridcell listbox radiogroup searchbox spinbutton switch textbox tree'.split(' '));
const RANGES = new Set('meter progressbar scrollbar separator slider spinbutton'.split(' '));
const FIELDS = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton']);
const LONGEST_VALUE = 500;

/**
 * In a fixed order, each a word or `word=value`.
 * @param {Element} element @param {string} role @returns {readonly string[]}
 */
const statesOf = (element, role) => {
  const marked = hasAny(element);
  if (!marked && !STATEFUL.has(role)) return NO_STATES;
  const states = [];
  const add = (state, value) => {
    if (value === true) states.push(state);
    else if (value) states.push(`${state}=${value}`);
  };
  const tag = tagOf(element);
  add('checked', checkedState(element, role, tag));
  if (role === 'button' && marked) add('pressed', tristate(attribute(element, 'aria-pressed')));
  if (SELECTABLE.has(role)) add('selected', isSelected(element, tag, marked));
  add('expanded', expandedState(element, role, tag, marked));
  add('disabled', isDisabled(element, role, tag));
  if (marked && REQUIRABLE.has(role)) add('required', has(element, 'required') || isTrue(element, 'aria-required'));
  if (marked) add('readonly', isReadOnly(element, role, tag));
  if (marked) add('invalid', invalidState(element));
  add('level', levelOf(element, role, tag, marked));
  if (marked && HEADERS.has(role)) add('sort', sortState(element));
  add('active', isActive(element));
  if (role !== 'listbox') add('value', shortened(valueOf(element, role)));
  if (marked && FIELDS.has(role)) add('placeholder', placeholderState(element, role));
  return states.length ? states : NO_STATES;
};

const HEADERS = new Set(['columnheader', 'rowheader']);
/** How a table is sorted by what a header is over. */
const sortState = element => {
  const sort = attribute(element, 'aria-sort')?.trim().toLowerCase();
  return ['ascending', 'descending', 'other'].includes(sort) ? sort : null;
};

const isTrue = (element, name) => attribute(element, name)?.toLowerCase() === 'true';

/** @param {string | null} value @returns {true | 'mixed' | null} */
const tristate = value => {
  const word = value?.toLowerCase();
  return word === 'true' ? true : word === 'mixed' ? 'mixed' : null;
};

/** The control's own state goes before what ARIA claims (HTML-AAM §3.6). */
const checkedState = (element, role, tag) => {
  if (!CHECKABLE.has(role)) return null;
  if (tag === 'input' && (element.type === 'checkbox' || element.type === 'radio')) {
    return element.indeterminate && element.type === 'checkbox' ? 'mixed' : element.checked || null;
  }
  return hasAny(element) ? tristate(attribute(element, 'aria-checked')) : null;
};

const isSelected = (element, tag, marked) => {
  if (tag === 'option' && element.selected !== undefined) return element.selected || null;
  return (marked && isTrue(element, 'aria-selected')) || null;
};

/** True, or 'false' for what could be opened: that there is something to open is worth knowing. */
const expandedState = (element, role, tag, marked) => {
  if (tag === 'summary' && role === 'button' && isSummary(element)) return has(parentNode(element), 'open') || 'false';
  if (!marked || role === 'none' || role === 'generic') return null;
  const said = attribute(element, 'aria-expanded')?.toLowerCase();
  if (said === 'true') return true;
  if (said === 'false') return 'false';
  const popover = (tag === 'button' || tag === 'input') && has(element, 'popovertarget') ? element.popoverTargetElement : null;
  return popover ? matches(popover, ':popover-open') || 'false' : null;
};

/** Disabled itself, by its fieldset, or by an ancestor's `aria-disabled`, which holds for all that can be focused in it (ARIA 1.2). */
const isDisabled = (element, role, tag) => {
  if (!DISABLED_BY_ARIA.has(role)) return null;
  if ((NATIVELY_DISABLED.has(tag) || tag.includes('-')) && matches(element, ':disabled')) return true;
  for (let inside = element; inside !== null; ) {
    const root = rootOf(inside);
    if ((askedOfDisabled++ < FEW || hasDisabledByAria(root)) && closest(inside, DISABLED) !== null) return true;
    inside = hostOf(root);
  }
  return null;
};
const NATIVELY_DISABLED = new Set(['button', 'fieldset', 'input', 'optgroup', 'option', 'select', 'textarea']);
const DISABLED = '[aria-disabled="true" i]';

/** How many elements are asked for themselves before all are: looking through a large document takes longer than through some ancestors. */
const FEW = 64;
let askedOfDisabled = 0;

/** Whether anything in a document or shadow root is disabled by ARIA: mostly nothing is. */
const hasDisabledByAria = root => {
  let found = disabledByAria.get(root);
  if (found === undefined) {
    found = (firstIn[nodeType(root)]?.call(root, DISABLED) ?? null) !== null;
    disabledByAria.set(root, found);
  }
  return found;
};
const firstIn = { 9: Document.prototype.querySelector, 11: DocumentFragment.prototype.querySelector };
/** @type {WeakMap<Node, boolean>} */
let disabledByAria = new WeakMap();
/** The element with the focus, once it has been looked up in this run. @type {Element | null | undefined} */
let activeElement;

/** Makes the next questions look again at what all elements share. */
const beginStates = () => {
  askedOfDisabled = 0;
  disabledByAria = new WeakMap();
  activeElement = undefined;
};

const WITH_READONLY = new Set(
  'checkbox combobox grid gridcell listbox radiogroup searchbox slider spinbutton switch textbox treegrid'.split(' '),
);
const isReadOnly = (element, role, tag) => {
  if (!WITH_READONLY.has(role)) return null;
  return ((tag === 'input' || tag === 'textarea') && has(element, 'readonly')) || isTrue(element, 'aria-readonly') || null;
};

const invalidState = element => {
  const said = attribute(element, 'aria-invalid')?.trim().toLowerCase();
  if (said === undefined || said === '' || said === 'false') return null;
  return said === 'grammar' || said === 'spelling' ? said : true;
};

const HEADING_LEVELS = new Map([1, 2, 3, 4, 5, 6].map(level => [`h${level}`, level]));
const WITH_LEVEL = new Set(['heading', 'treeitem', 'listitem', 'row', 'comment']);
const levelOf = (element, role, tag, marked) => {
  if (!WITH_LEVEL.has(role)) return null;
  const said = marked ? Number.parseInt(attribute(element, 'aria-level')) : Number.NaN;
  if (said >= 1) return said;
  return role === 'heading' ? HEADING_LEVELS.get(tag) ?? 2 : null;
};

const activeIn = { 9: getter(Document.prototype, 'activeElement'), 11: getter(ShadowRoot.prototype, 'activeElement') };
/** Whether it has the focus; a host has it only as long as nothing in its shadow root has. */
const isActive = element => {
  if (activeElement === undefined) activeElement = activeUnder(document);
  return element === activeElement;
};
/** Whether a page is edited as a whole, as in the frames of some editors, and has the focus: a body is active also if nothing is. */
const isEditedPage = body => body.isContentEditable && documentHasFocus.call(document);
const documentHasFocus = Document.prototype.hasFocus;
const activeUnder = root => {
  const element = activeIn[nodeType(root)](root);
  if (element === null || tagOf(element) === 'html' || (tagOf(element) === 'body' && !isEditedPage(element))) return null;
  const inner = shadowRootOf(element);
  return (inner === null ? null : activeUnder(inner)) ?? element;
};

/** Autofill's words for what nobody else should read (HTML §4.10.18.7). */
const SECRETS = /password|one-time-code|cc-csc|cc-number/i;
/** What people call such fields, for those that a page shows in the clear. */
const CALLED_SECRET = /pass-?(?:word|wd|phrase|code)|\bpwd\b|\b(?:cvc|cvv|otp)\b|security[\s_-]?code|card[\s_-]?number|密码|口令|验证码|安全码|信用卡号|银行卡号/i;
/** Fields that were seen to hold passwords: they still do when the page shows them as text. @type {WeakSet<Element>} */
const passwords = globalThis.webhandPasswords ?? new WeakSet();
/** @param {Element} element a field @returns {boolean} whether what is in it must never leave the page */
const isSecret = element => {
  if (isField(element) && element.type === 'password') passwords.add(element);
  if (passwords.has(element)) return true;
  if (hasAny(element) && isField(element)) {
    if (SECRETS.test(attribute(element, 'autocomplete') ?? '')) return true;
    for (const name of ['name', 'id', 'aria-label', 'placeholder']) if (CALLED_SECRET.test(attribute(element, name) ?? '')) return true;
    const labels = [...(labelsOf(element) ?? []), ...(referenced(element, 'aria-labelledby') ?? [])];
    if (labels.some(label => CALLED_SECRET.test(textContent(label)))) return true;
  }
  return styleOf(element).webkitTextSecurity !== 'none';
};

/** @param {Element} element @returns {boolean} whether it is a native control that holds a text */
const isField = element => element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;

/** What a control is set to, in words; never a secret. What is edited in place (`contenteditable`) is content instead. @returns {string} */
const valueOf = (element, role) => {
  const tag = tagOf(element);
  if (tag === 'select') return role === 'combobox' ? flat(element.selectedOptions?.[0]?.label ?? '') : '';
  // What stands in a field is what people see, whatever ARIA says (HTML-AAM §3.6).
  if (RANGES.has(role) && !(role === 'spinbutton' && isField(element))) return rangeValue(element, tag);
  if (!FIELDS.has(role) || !isField(element) || isSecret(element)) return '';
  return flat(element.value);
};

const rangeValue = (element, tag) => {
  const said = hasAny(element) ? attribute(element, 'aria-valuetext') || attribute(element, 'aria-valuenow') : null;
  if (said) return flat(said);
  if (tag === 'progress') return element.position >= 0 ? `${Math.round(element.position * 100)}%` : '';
  if (tag === 'meter') return String(element.value ?? '');
  return isField(element) && !isSecret(element) ? flat(element.value) : '';
};

const shortened = text => (text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text);

const placeholderState = (element, role) => {
  const placeholder = placeholderOf(element);
  return placeholder !== '' && placeholder !== nameOf(element, role) ? shortened(placeholder) : null;
};
