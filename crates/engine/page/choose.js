// Choosing from lists: the browser's own, and those that pages make of other elements.

const listOptions = getter(HTMLSelectElement.prototype, 'options');
const takesMany = getter(HTMLSelectElement.prototype, 'multiple');
const labelOfOption = getter(HTMLOptionElement.prototype, 'label');
const valueOfOption = getter(HTMLOptionElement.prototype, 'value');
const isChosen = getter(HTMLOptionElement.prototype, 'selected');
const setChosen = Object.getOwnPropertyDescriptor(HTMLOptionElement.prototype, 'selected').set;

/** Roles of what can be chosen. */
const OPTIONS = '[role=option i], [role=menuitem i], [role=menuitemradio i], [role=menuitemcheckbox i], [role=treeitem i]';
/** What a list opens, if it says so. */
const OPENS = new Set(['listbox', 'menu', 'tree', 'true']);
/** How many options a message names, and how long each may be. */
const MOST_NAMED = 20;

/**
 * @typedef {object} Choice an option, however it is made
 * @property {Element} element @property {string} label @property {string} [text] what is written in it, without what styles add
 * @property {string} value @property {boolean} disabled
 */

/**
 * The options that are meant. Exactly what was said goes before what is merely alike.
 * @param {Choice[]} choices @param {'any' | 'label' | 'value' | 'index'} by @param {string} wanted @returns {Choice[]}
 */
const meantBy = (choices, by, wanted) => {
  if (by === 'index') return choices.slice(Number(wanted), Number(wanted) + 1);
  const alike = text => flat(text).toLowerCase();
  const ways = [];
  for (const same of [(one, other) => one === other, (one, other) => alike(one) === alike(other)]) {
    if (by !== 'value') ways.push(choice => same(choice.label, wanted), choice => choice.text && same(choice.text, wanted));
    if (by !== 'label') ways.push(choice => same(choice.value, wanted));
  }
  for (const way of ways) {
    const found = choices.filter(way);
    if (found.length) return found;
  }
  return [];
};

/** What an option is called: what is written in it, if its name is that and something that a style adds. */
const calledOf = ({ label, text, value }) => (text && label.startsWith(text) ? text : label) || value;

const namesOf = choices => ({ options: choices.slice(0, MOST_NAMED).map(choice => shortName(calledOf(choice))), more: Math.max(0, choices.length - MOST_NAMED) });

/**
 * The list that an element stands for.
 * @returns {{number: number, native: boolean, silent: boolean, open: boolean, types: boolean, original?: number} | null} null if it is none; `original`:
 *   the one of the browser's own that it is drawn for
 */
const listFor = number => {
  const named = elementOf(number);
  if (named === null) return null;
  beginNames();
  const control = controlFor(named);
  const element = isList(control) ? control : (closest(control, DRAWN_LISTS) ?? onlyListIn(named) ?? controlBeside(named, isList));
  const list = { number: 0, native: false, silent: false, open: false, types: false };
  if (element === null) {
    const inside = [...select(named, '[tabindex]')].filter(inner => isOpener(inner) && isThere(inner));
    const opener = [control, onlyControlIn(named), boxOfText(named), inside.length === 1 ? inside[0] : null].find(isOpener) ?? controlBeside(named, isOpener, `${SET}, [tabindex='0']`);
    // What was chosen may stand in place of the field.
    return opener && { ...list, number: numberOf(isThere(opener) ? opener : shownAround(opener) ?? opener), silent: true };
  }
  const drawn = tagOf(element) === 'select' ? drawnFor(element) : null;
  if (drawn) {
    originals.set(drawn, element);
    return { ...stateOf(drawn), original: numberOf(element) };
  }
  if (tagOf(element) === 'select') return { ...list, number: numberOf(element), native: true };
  return stateOf(element);
};

/** What lists are drawn for. @type {WeakMap<Element, Element>} */
const originals = new WeakMap();

/** A list that the page made, as it is now. */
const stateOf = element => {
  // One that is fading away is closed.
  const open = attribute(element, 'aria-expanded') !== 'false' && (ownOptions(element).length > 0 || plainOptions(element).length > 0);
  shownBefore = new WeakSet(open ? [] : optionsUnder(document));
  closedBefore = open ? null : shownAs(element);
  return { number: numberOf(element), native: false, silent: false, open, types: isField(element) && !has(element, 'readonly') };
};

/** How the list looked that was closed last, with what is drawn as one with it. @type {string | null} */
let closedBefore = null;
const shownAs = element => {
  const box = boxAround(element);
  return [seenText(box), ...[box, ...select(box, 'input')].filter(isField).map(field => field.value)].join('\n');
};

/** What says that it opens a list. */
const DRAWN_LISTS = '[role=combobox i], [aria-haspopup=listbox i]';

/**
 * The list that is drawn in place of one of the browser's own which nobody sees: what follows it, or the only one around it. To set the
 * one that is not seen would tell many such lists nothing.
 */
const drawnFor = list => {
  if (isThere(list) && !isVeiled(list)) return null;
  const outer = elements => elements.filter(one => isThere(one) && !elements.some(other => other !== one && contains(other, one)));
  const next = nextElementOf(list);
  const beside = next === null ? [] : outer([...(matches(next, DRAWN_LISTS) ? [next] : []), ...select(next, DRAWN_LISTS)]);
  if (beside.length === 1) return beside[0];
  let around = holderOf(list);
  for (let up = 0; up < 3 && around && !contains(around, bodyOf(document)); up++, around = holderOf(around)) {
    if (select(around, 'select').length > 1) return null;
    if (matches(around, DRAWN_LISTS) && isThere(around)) return around;
    const found = outer([...select(around, DRAWN_LISTS)].filter(one => one !== list));
    if (found.length > 0) return found.length === 1 ? found[0] : null;
  }
  return null;
};
const nextElementOf = getter(Element.prototype, 'nextElementSibling');

/** The only list in a box that holds nothing else to be set; that one may be for those who do not look. */
const onlyListIn = box => {
  if (roleOf(box) !== 'generic' || boxOf(box).height > TALLEST_PART) return null;
  const set = [...rootsIn(box)].flatMap(root => [...select(root, SET)]).filter(isOffered);
  return set.length === 1 && matches(set[0], DRAWN_LISTS) ? set[0] : null;
};

const isList = element =>
  tagOf(element) === 'select' || ['combobox', 'listbox'].includes(roleOf(element)) || OPENS.has(attribute(element, 'aria-haspopup')?.toLowerCase());

/** The box that a plain text stands in, if that can have the focus and holds nothing else to use. */
const boxOfText = text => {
  if (matches(text, 'button, a[href], [role]') || isFocusable(text)) return null;
  const box = closest(text, `[tabindex='0']`);
  return box !== null && boxOf(box).height <= TALLEST_PART && ![...select(box, `${SET}, button, a[href]`)].some(isOffered) ? box : null;
};

/** Whether it may open a list and does not say so: a field that nothing can be typed into, or what can have the focus and is nothing else. */
const isOpener = element =>
  element !== null && (isField(element) ? kindOfField(element) === 'text' && has(element, 'readonly') : isFocusable(element) && roleOf(element) === 'generic' && !isEdited(element));

/** Options that were there before a list was opened: they belong to something else. @type {WeakSet<Element>} */
let shownBefore = new WeakSet();

/** The options that can be seen under an element or a document, in shadow roots as well. @returns {Element[]} */
const optionsUnder = root => {
  const found = [];
  for (const inner of root === document ? roots() : rootsIn(root)) {
    found.push(...select(inner, OPTIONS));
    // What is in a slot is in the list, though it stands elsewhere.
    if (root !== document) for (const slot of select(inner, 'slot')) found.push(...optionsInSlot(slot));
  }
  return [...new Set(found)].filter(isThere);
};

const optionsInSlot = slot =>
  assignedNodes.call(slot, { flatten: true }).filter(node => nodeType(node) === 1).flatMap(node => [...(matches(node, OPTIONS) ? [node] : []), ...select(node, OPTIONS)]);

/** The lists that an element names as its own. */
const listsOf = element => [...(referenced(element, 'aria-controls') ?? []), ...(referenced(element, 'aria-owns') ?? [])];

/** The options of the list that an element is, holds or names. Some show also what has been chosen as an option, when they are closed. */
const ownOptions = element => {
  for (const list of [...listsOf(element), element]) {
    const found = optionsUnder(list);
    const opened = found.filter(option => !shownBefore.has(option));
    if (found.length) return opened.length ? opened : found;
  }
  return [];
};

/**
 * Some lists have one part for screen readers, which nobody sees, and beside it what is clicked, which says nothing of itself.
 * @returns {Element[]} what is shown beside the options of such a list and takes clicks, as a whole
 */
const plainOptions = element => {
  for (const list of listsOf(element)) {
    // One that is closed is not rendered; one for screen readers is.
    if (optionCount(list) === 0 || !isRendered(list) || styleOf(list).visibility !== 'visible') continue;
    let box = list;
    for (let up = 0; up < 3 && box && !isThere(box); up++) box = holderOf(box);
    if (!box || box === list || !isThere(box) || contains(box, bodyOf(document)) || contains(box, element) || select(box, '*').length > MOST_IN_LIST) continue;
    const takesClicks = inner => styleOf(inner).cursor === 'pointer' || isTrue(inner, 'aria-disabled');
    const found = [...select(box, '*')].filter(inner => takesClicks(inner) && !takesClicks(holderOf(inner)) && isThere(inner));
    if (found.length) return found;
  }
  return [];
};
/** How many elements a list may have to be looked through for what takes clicks. */
const MOST_IN_LIST = 2000;
const optionCount = list => select(list, OPTIONS).length;

const takesSeveral = element => [element, ...listsOf(element)].some(list => isTrue(list, 'aria-multiselectable'));

/** Whether a list takes another option beside this one; null if it does not say. */
const takesMore = (element, option) => {
  const list = closest(option, '[role=listbox i]') ?? option;
  if (takesSeveral(element) || isTrue(list, 'aria-multiselectable')) return true;
  return has(list, 'aria-multiselectable') || list === element ? false : null;
};

/** @returns {Choice[]} what can be chosen now from a list that the page made */
const choicesOf = element => {
  let found = ownOptions(element);
  if (!found.length) found = plainOptions(element);
  if (!found.length) found = optionsUnder(document).filter(option => !shownBefore.has(option));
  beginNames();
  return found.map(option => {
    const role = roleOf(option);
    const value = attribute(option, 'data-value') ?? attribute(option, 'value') ?? '';
    const disabled = isDisabled(option, role, tagOf(option)) === true || isTrue(option, 'aria-disabled');
    const text = flat(seenText(option));
    return { element: option, label: flat(nameOf(option, role)) || text, text, value, disabled };
  });
};

/**
 * Looks for an option of a list that is open; waits until there are options.
 * @returns {Promise<{number?: number, label?: string, chosen?: boolean, many?: boolean | null, problem?: string, options?: string[], more?: number}>}
 */
const findOption = async (number, by, wanted, patience) => {
  const end = performance.now() + patience;
  for (;;) {
    const element = elementOf(number);
    if (element === null) return { problem: 'gone' };
    const choices = choicesOf(element);
    const meant = meantBy(choices, by, wanted);
    if (meant.length > 1) return { problem: 'several', ...namesOf(meant) };
    if (meant.length === 1) {
      const [{ element: option, disabled }] = meant;
      const label = calledOf(meant[0]);
      if (disabled) return { problem: 'disabled', wanted };
      const many = takesMore(element, option);
      return { number: numberOf(option), label, chosen: isTakenAlready(element, option, label, many), many };
    }
    if (choices.length || performance.now() >= end) return { problem: 'missing', wanted, ...namesOf(choices) };
    await nextChange(end);
  }
};

/** Whether something in the page changes within so many milliseconds; and if so, a moment later. */
const changesWithin = async time => {
  const end = performance.now() + time;
  await nextChange(end);
  const changes = performance.now() < end;
  if (changes) await nextFrame();
  return changes;
};

/** The next time that something in the page changes. */
const nextChange = end =>
  new Promise(resolve => {
    const done = () => {
      observer.disconnect();
      clearTimeout(timer);
      resolve();
    };
    const observer = new MutationObserver(done);
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    const timer = setTimeout(done, Math.max(0, end - performance.now()));
  });

/** Whether an option that is marked is chosen, and not merely the one that the arrow keys are at: the list shows it, or is always open. */
const isSurelyChosen = (element, option, label) => {
  if (isTrue(option, 'aria-checked') || (roleOf(element) !== 'combobox' && contains(element, option))) return true;
  return showsBeside(element, closest(option, '[role=listbox i], [role=menu i], [role=tree i]') ?? option, label);
};

/** Whether an option is chosen now. That it is marked may mean something else. */
const isTakenAlready = (element, option, label, many) => {
  // What a list is drawn for knows best.
  const original = originals.get(element);
  const twins = original ? nativeChoices(original).filter(choice => flat(choice.label) === label) : [];
  if (twins.length === 1) return isChosen(twins[0].element) && (takesMany(original) || isSurelyChosen(element, option, label));
  if (!isMarked(option)) return false;
  return many === true ? !isMerelyReached(element, option, label) : isSurelyChosen(element, option, label);
};

/** Whether an option of a list that takes several is marked since the arrow keys are at it, though the list shows no such choice. */
const isMerelyReached = (element, option, label) => {
  if (roleOf(element) !== 'combobox' || isTrue(option, 'aria-checked')) return false;
  const reaching = [element, activeUnder(document), ...select(element, '[aria-activedescendant]')];
  const isReached = reaching.some(one => one && referenced(one, 'aria-activedescendant')?.includes(option));
  return isReached && !showsTag(element, label) && !isSurelyChosen(element, option, label);
};

const isMarked = option => ['aria-selected', 'aria-checked'].some(name => isTrue(option, name));

/**
 * Whether an option was taken: it is marked, the list shows it, or the list has closed over it.
 * @param {number} number the list @param {number} chosen the option
 * @returns {'taken' | 'unseen' | 'refused' | null} null if nobody can tell; `unseen`: the list has closed and looks as before, with another choice
 */
const tookOption = (number, chosen, label) => {
  const element = elementOf(number);
  const took = element === null ? null : isTaken(element, chosen, label);
  if (took === null) return null;
  if (!took) return 'refused';
  return hidesChoice(element, elementOf(chosen), label) ? 'unseen' : 'taken';
};

/** Whether a list that shows its choice when it is closed shows another one, as before. What a menu does shows elsewhere. */
const hidesChoice = (element, option, label) => {
  if (roleOf(element) !== 'combobox' && !/^listbox$/i.test(attribute(element, 'aria-haspopup') ?? '')) return false;
  if (option !== null && (isThere(option) || isMarked(option))) return false;
  const now = shownAs(element);
  return now === closedBefore && !flat(now).toLowerCase().includes(flat(label).toLowerCase());
};

const isTaken = (element, chosen, label) => {
  const option = elementOf(chosen);
  if (option === null || !isThere(option) || isMarked(option)) return true;
  if (!matches(option, OPTIONS)) return tookTwin(element, label);
  for (let at = option; at; at = holderOf(at)) {
    // A list that shows its options all the time shows this one anyway; if options say nothing of themselves, nobody knows.
    if (at === element) return has(option, 'aria-selected') || has(option, 'aria-checked') ? false : null;
  }
  const shows = isField(element) ? element.value : seenText(element);
  return flat(shows).toLowerCase().includes(flat(label).toLowerCase());
};

/** The same for an option that says nothing of itself, by the one beside it that does; there may be none. */
const tookTwin = (element, label) => {
  for (const list of listsOf(element)) {
    const isTwin = option => [attribute(option, 'aria-label'), textContent(option)].some(text => text !== null && flat(text) === label);
    const twin = [...select(list, OPTIONS)].find(isTwin);
    if (twin) return isMarked(twin) || (has(twin, 'aria-selected') || has(twin, 'aria-checked') ? false : null);
  }
  return null;
};

/**
 * Whether a list that says nothing of itself shows an option as its choice; and how list and option look now, for {@link tookSilent}.
 * @param {number} number the list @param {number} option @param {string} label
 */
const showsSilent = (number, option, label) => {
  const element = elementOf(number);
  if (element === null) return false;
  silentBefore = looksOf(number, option);
  return showsBeside(element, elementOf(option), label);
};

/** Whether a list, or what is drawn as one with it, shows just this; what the options themselves say does not count. */
const showsBeside = (element, option, label) => {
  let list = option;
  for (let up = 0; up < 3 && list; up++) {
    const outer = holderOf(list);
    if (!outer || contains(outer, element) || outer === element) break;
    list = outer;
  }
  const isBeside = inner => list === null || (inner !== list && !contains(inner, list) && !contains(list, inner));
  const shown = [element, ...select(boxAround(element), '*')].filter(inner => isBeside(inner) && !['select', 'option'].includes(tagOf(inner)) && isThere(inner));
  return shown.some(inner => flat(isField(inner) ? inner.value : seenText(inner)).toLowerCase() === label.toLowerCase());
};

/** What takes things back, and what it says. */
const TAKES_BACK = 'button, [role=button i], svg, [tabindex]';
const CROSSES = /^[×✕✖✗⨯x]\s*|\s*[×✕✖✗⨯x]$/gu;

/** Whether what was chosen stands beside the field as a thing of its own that can be taken back: then the list takes several. */
const showsAsTag = (number, label) => {
  const element = elementOf(number);
  return element !== null && showsTag(element, label);
};
const showsTag = (element, label) => {
  const isTag = inner => {
    if (contains(inner, element) || isField(inner) || !isThere(inner)) return false;
    const text = flat(seenText(inner));
    if (text.toLowerCase() === label.toLowerCase()) return matches(inner, TAKES_BACK) || select(inner, TAKES_BACK).length > 0;
    const [back, ...others] = select(inner, 'button, [role=button i]');
    const rest = back && others.length === 0 ? flat(text.replace(flat(seenText(back)), '')) : text.replace(CROSSES, '');
    return rest.toLowerCase() === label.toLowerCase();
  };
  return [...select(boxAround(element), '*')].some(isTag);
};

/** Whether an option of it was taken: it has gone, or anything about the list or the option is not as it was. */
const tookSilent = (number, option) => {
  const chosen = elementOf(option);
  return chosen === null || !isThere(chosen) || looksOf(number, option) !== silentBefore;
};
let silentBefore = '';

const looksOf = (number, option) => {
  const [element, chosen] = [elementOf(number), elementOf(option)];
  const values = element === null ? [] : [...select(boxAround(element), 'input')].map(field => field.value);
  // How an option looks changes also when the mouse comes over it.
  const states = chosen === null ? [] : [...chosen.attributes].filter(({ name }) => name !== 'class' && name !== 'style').map(({ name, value }) => `${name}=${value}`);
  return [element && seenText(boxAround(element)), ...values, ...states, chosen?.innerHTML].join('\n');
};

/** What is drawn as one with a field: all around it that has no other field in it, not far out. */
const boxAround = element => {
  let box = element;
  for (let up = 0; up < 4; up++) {
    const outer = holderOf(box);
    if (!outer || contains(outer, bodyOf(document)) || boxOf(outer).height > 2 * boxOf(element).height + 40 || [...select(outer, SET)].some(other => other !== element && isOffered(other))) break;
    box = outer;
  }
  return box;
};

/**
 * Chooses in a list of the browser's own. What is not named is no longer chosen afterwards. Nothing is done if there is a problem.
 * @param {'any' | 'label' | 'value' | 'index'} by @param {string[]} wanted
 */
const chooseNative = (number, by, wanted) => {
  const list = elementOf(number);
  if (list === null) return { problem: 'gone' };
  if (wanted.length !== 1 && !takesMany(list)) return { problem: 'single' };
  const choices = nativeChoices(list);
  const chosen = [];
  for (const one of wanted) {
    const meant = meantBy(choices, by, one);
    if (meant.length === 0) return { problem: 'missing', wanted: one, ...namesOf(choices) };
    if (meant.length > 1) return { problem: 'several', ...namesOf(meant) };
    if (meant[0].disabled) return { problem: 'disabled', wanted: one };
    chosen.push(meant[0].element);
  }
  giveFocus(number);
  // A page may make its fields anew when the one before is left.
  if (!isConnected(list)) return { problem: 'gone' };
  const isAsWanted = () => choices.every(({ element }) => isChosen(element) === chosen.includes(element));
  if (isAsWanted()) return { already: true };
  choosing = chosen;
  const isDrawn = drawnBeside(list) !== null;
  for (const { element } of choices) if (isChosen(element) !== chosen.includes(element)) setChosen.call(element, chosen.includes(element));
  tellChange(list);
  return { drawn: isDrawn };
};

/**
 * What the options are called that are meant, in a list of the browser's own that another one is drawn for. What it does not have the other
 * one may have, so that is left as it was said.
 * @returns {{problem?: string, labels?: string[], adds?: boolean, already?: boolean}} `adds`: nothing that is chosen has to be taken back
 */
const labelsIn = (number, by, wanted) => {
  const list = elementOf(number);
  if (list === null) return { problem: 'gone' };
  if (wanted.length !== 1 && !takesMany(list)) return { problem: 'single' };
  const choices = nativeChoices(list);
  const labels = [];
  for (const one of wanted) {
    const meant = meantBy(choices, by, one);
    if (meant.length > 1) return { problem: 'several', ...namesOf(meant) };
    if (meant.length === 0 && (by === 'value' || by === 'index')) return { problem: 'missing', wanted: one, ...namesOf(choices) };
    if (meant[0]?.disabled) return { problem: 'disabled', wanted: one };
    labels.push(meant.length === 1 ? flat(meant[0].label) : one);
  }
  const adds = !takesMany(list) || (wanted.length > 0 && choices.every(({ element, label }) => !isChosen(element) || labels.includes(flat(label))));
  return { labels, adds };
};

/** Whether a list of the browser's own has all of these chosen. What it does not have it cannot say. */
const hasChosen = (number, labels) => {
  const list = elementOf(number);
  return list === null || labels.every(label => {
    const named = nativeChoices(list).filter(choice => flat(choice.label) === label);
    return named.length === 0 || named.some(({ element }) => isChosen(element));
  });
};

/** Whether a list that is drawn for one of the browser's own shows all that is chosen there, and nothing that is not. */
const showsOnly = (number, original) => {
  const [element, list] = [elementOf(number), elementOf(original)];
  if (element === null || list === null) return true;
  const box = boxAround(element);
  const shown = [box, ...select(box, '*')].filter(isThere).map(inner => flat(seenText(inner)).replace(CROSSES, '').toLowerCase());
  return nativeChoices(list).every(choice => choice.label === '' || isChosen(choice.element) === shown.includes(flat(choice.label).toLowerCase()));
};

/** What is shown around a list that nobody sees, and whether its choice is among it: then something draws it. @returns {string | null} */
const drawnBeside = list => {
  if (isThere(list) && !isUnseen(list)) return null;
  let around = holderOf(list);
  for (let up = 0; up < 2 && around && !contains(around, bodyOf(document)); up++, around = holderOf(around)) {
    if (select(around, 'select').length > 1) return null;
    const text = flat(seenText(around)).toLowerCase();
    if (nativeChoices(list).some(({ element, label }) => isChosen(element) && flat(label) !== '' && text.includes(flat(label).toLowerCase()))) return text;
  }
  return null;
};

const nativeChoices = list =>
  [...listOptions(list)].map(element => ({ element, label: labelOfOption(element), value: valueOfOption(element), disabled: matches(element, ':disabled') }));

/** What was chosen last. @type {Element[]} */
let choosing = [];

/** Whether what is drawn for a list that nobody sees shows what was chosen last. What the page replaced is taken to. */
const isChoiceShown = number => {
  const list = elementOf(number);
  return list === null || choosing.some(option => !isConnected(option)) || drawnBeside(list) !== null;
};

/** Whether that is still chosen; what was replaced by the page is taken to be. */
const keptChoice = () => choosing.every(option => !isConnected(option) || isChosen(option));

Object.assign(api, { changesWithin, listFor, findOption, tookOption, showsSilent, tookSilent, showsAsTag, chooseNative, labelsIn, hasChosen, showsOnly, isChoiceShown, keptChoice });
