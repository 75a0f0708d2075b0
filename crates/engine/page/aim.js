// Whether an element can be used, and where: one loop for every verb that points at something. It waits, frame by frame, until the
// element is there, can be seen, holds still, is enabled and would really be hit; and says what is in the way if that does not happen.

/** How long an element that never holds still is waited for; what is checked when the click arrives makes up for the rest. */
const NEVER_STILL = 300;
/** How far the time of what moves has to go on for a difference to be seen: less than a frame, and more than a part of one. */
const FRAME = 8;
/** How long a page that draws no frame is waited for: whether anything in it moves cannot be seen. */
const NEVER_DRAWN = 1000;
/** Where a scrolled element is put, one way after the other: something that sticks to an edge may cover it. */
const ALIGNMENTS = ['center', 'end', 'start'];
/** Where in its box an element is tried, the middle first. */
const SPOTS = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.5], [0.9, 0.5], [0.1, 0.1], [0.9, 0.9]];

const clientRectsOf = Element.prototype.getClientRects;
const animationsOf = Element.prototype.getAnimations;
const timelineOf = getter(Document.prototype, 'timeline');
const scrollToElement = Element.prototype.scrollIntoView;

/** The next frame that is drawn; a page that draws none, since nobody sees it, is not waited for long. */
const nextFrame = (longest = 100) =>
  new Promise(resolve => {
    requestAnimationFrame(resolve);
    setTimeout(resolve, longest);
  });

/** Controls: a click that lands on one of these inside of what was meant does something else. */
const CONTROL =
  'button, a[href], input, select, textarea, summary, label, [contenteditable=""], [contenteditable="true"], [role="button"], [role="link"], [role="checkbox"],' +
  '[role="radio"], [role="switch"], [role="menuitem"], [role="tab"], [role="option"], [role="textbox"], [role="combobox"]';

/**
 * @typedef {object} Needs what is needed of the element
 * @property {boolean} [hit] a click in it has to land in it
 * @property {boolean} [enabled]
 * @property {boolean} [editable]
 * @property {boolean} [drop] something is to be dropped on it, not clicked
 *
 * @typedef {{problem: string, says?: string, covering?: object, waited?: boolean}} Problem `waited`: as long as there was patience
 * @typedef {{x: number, y: number, scrolled: boolean, framed?: boolean}} Spot `framed`: in a frame that is in the element
 */

/**
 * Waits until the element can be used.
 * @param {number} number @param {number} patience milliseconds @param {Needs} needs
 * @returns {Promise<Spot | Problem>}
 */
const aim = async (number, patience, needs) => {
  const began = performance.now();
  const end = began + patience;
  const firstTime = timelineOf(document).currentTime;
  let before = null;
  used = number;
  let turns = 0;
  let scrolled = false;
  for (;;) {
    const element = elementOf(number);
    if (element === null) return { problem: 'gone' };
    beginNames();
    beginStates();
    const found = usable(element, needs);
    if (found.problem === undefined) {
      const box = boxOf(found.element);
      const { longest, isPending } = movementOf(found.element);
      const time = timelineOf(document).currentTime;
      const isNext = before !== null && time >= before.time + FRAME;
      const isStill = longest === 0 || (isNext && isSameBox(box, before.box));
      const waited = performance.now() - began;
      if (isStill || (longest === Infinity && waited > NEVER_STILL) || (time < firstTime + FRAME && waited > NEVER_DRAWN)) {
        const spot = needs.hit ? spotFor(found.element, element, needs) : { x: box.left + box.width / 2, y: box.top + box.height / 2 };
        if (spot.problem === undefined) return { ...spot, scrolled };
        Object.assign(found, spot);
        // Out of sight, or covered perhaps by something that sticks to an edge: it is scrolled a few times, and always if it is out of sight.
        if (spot.outside || turns < ALIGNMENTS.length) {
          const block = ALIGNMENTS[turns++ % ALIGNMENTS.length];
          scrollToElement.call(found.element, { block, inline: turns === 1 ? 'center' : 'nearest', behavior: 'instant' });
          scrolled = true;
          before = null;
          if (turns <= ALIGNMENTS.length) continue;
        }
      } else {
        found.problem = 'moving';
      }
      if (isPending) before = null;
      else if (before === null || isNext) before = { box, time };
    } else if (found.problem === 'refused' || found.problem === 'readonly') {
      return found;
    }
    if (performance.now() >= end) return { problem: found.problem, says: found.says, covering: found.covering, waited: true };
    await nextFrame();
  }
};

/** @returns {{element?: Element} & Partial<Problem>} the element to point at, or why it cannot be used now */
const usable = (element, needs) => {
  const role = roleOf(element);
  if (needs.enabled && isDisabled(element, role, tagOf(element))) return { problem: 'disabled' };
  if (needs.editable) {
    const refused = notEditable(element, role);
    if (refused) return refused;
  }
  if (isThere(element) && (!isSpeck(element) || needs.editable)) return { element };
  if (isOwnEditor(element) && shownAround(element)) return { element: shownAround(element) };
  const picture = tagOf(element) === 'area' ? pictureOf(element) : null;
  if (picture !== null) return { element: picture };
  // A control that only its label shows is used by its label.
  const label = isLabelable(element) ? [...element.labels].find(isThere) : undefined;
  if (label && !needs.editable) return { element: label };
  if (isThere(element)) return { element };
  if (tagOf(element) === 'option') return { problem: 'refused', says: 'option' };
  return { problem: 'invisible' };
};

/** Whether it is there only for those who do not look: something else is drawn in its place. */
const isSpeck = element => {
  const { width, height } = boxOf(element);
  return width <= 1 && height <= 1;
};

/** Whether it takes clicks, if any, in the place of something else that is drawn: it is clipped, transparent, tiny, or lets clicks through. */
const isVeiled = element => isSpeck(element) || styleOf(element).pointerEvents === 'none' || isUnseen(element);

/** Whether nobody can see it, as it is or as what is close around it is. Scrolled away is not unseen. */
const isUnseen = element => {
  let at = element;
  for (let up = 0; up < 4 && at; up++, at = holderOf(at)) if (isGone(at, styleOf(at), reachAt(at))) return true;
  return false;
};

/**
 * What is clicked in place of a control that something else is drawn for: its labels, its host, the box that holds it and nothing else to use.
 * @returns {Element[]}
 */
const standInsOf = (meant, isForDrop = false) => {
  if (!isRendered(meant) || !isVeiled(meant)) return [];
  const labels = isLabelable(meant) ? [...meant.labels].filter(isThere) : [];
  const wrapper = wrapperOf(meant, isForDrop);
  return wrapper === null ? labels : [...labels, wrapper];
};

/**
 * The innermost box around a veiled control that can be seen. It counts only if nothing else can be used in it and it is nothing to be used by
 * itself. Links and buttons are hidden for other reasons as well, such as to be skipped to: only a host is sure to stand for one.
 */
const wrapperOf = (meant, isForDrop) => {
  let around = holderOf(meant);
  for (let up = 0; up < 3 && around && (!isThere(around) || isSpeck(around) || isUnseen(around)); up++) around = holderOf(around);
  if (!around || !isThere(around) || contains(around, bodyOf(document)) || matches(around, `${CONTROL}, [aria-disabled=true i], [disabled]`)) return null;
  const isHost = hostOf(rootOf(meant)) === around;
  if (!isHost && !isForDrop && !isField(meant) && tagOf(meant) !== 'select') return null;
  if (boxOf(around).height > TALLEST_PART) return null;
  const isOther = control => control !== meant && !contains(meant, control) && !isIdleLabel(control, meant) && isOffered(control);
  return [...rootsIn(around)].some(root => [...select(root, `${CONTROL}, ${SET}, [tabindex='0']`)].some(isOther)) ? null : around;
};

/** Whether it is a label for nothing, or for just this. */
const isIdleLabel = (element, meant) => tagOf(element) === 'label' && [null, meant].includes(labelOfWhat(element));

/** What an editor draws in: the innermost thing around it that can be seen, close by. @returns {Element | null} */
const shownAround = editor => {
  if (!isRendered(editor) || styleOf(editor).visibility !== 'visible') return null;
  let around = holderOf(editor);
  for (let up = 0; up < 4 && around && around !== bodyOf(document); up++, around = holderOf(around)) if (isThere(around)) return around;
  return null;
};

const isLabelable = element => ['input', 'select', 'textarea', 'button', 'meter', 'output', 'progress'].includes(tagOf(element)) && !!element.labels;

/** @type {(element: Element) => boolean} whether it has a place where it is drawn */
const isThere = element =>
  isRendered(element) && styleOf(element).visibility === 'visible' && [...clientRectsOf.call(element)].some(({ width, height }) => width > 0 && height > 0);

/** Why no text can be typed into it. @returns {Problem | null} */
const notEditable = (element, role) => {
  const tag = tagOf(element);
  if (isReadOnly(element, role, tag)) return { problem: 'readonly' };
  if (isField(element) || tag === 'select' || element.isContentEditable === true || isOwnEditor(element)) return null;
  return { problem: 'refused', says: 'not a field' };
};

/**
 * What styles do to the place of the element or of something around it.
 * @returns {{longest: number, isPending: boolean}} 0 if none moves it, Infinity if one does so for ever; whether one has not begun to
 */
const movementOf = element => {
  let longest = 0;
  let isPending = false;
  for (let at = element; at; at = holderOf(at)) {
    for (const animation of animationsOf.call(at)) {
      if (animation.playState !== 'running') continue;
      longest = Math.max(longest, animation.effect?.getComputedTiming().endTime ?? 1, 1);
      isPending ||= animation.pending;
    }
  }
  return { longest, isPending };
};

const isSameBox = (one, other) => ['left', 'top', 'width', 'height'].every(side => Math.abs(one[side] - other[side]) < 0.5);

/** A point where a click does what one in the element would do. @param {Element} shown @param {Element} meant @param {Needs} needs */
const spotFor = (shown, meant, needs) => {
  if (tagOf(meant) === 'area') return spotInArea(shown, meant);
  const field = needs.drop ? undefined : fieldFilling(shown);
  const inField = field === undefined ? null : spotIn(field, meant);
  if (inField !== null && inField.problem === undefined) return inField;
  const spot = spotIn(shown, meant);
  if (spot.problem === undefined || spot.outside) return spot;
  for (const other of standInsOf(meant, needs.drop)) {
    const there = other === shown ? spot : spotIn(other, meant);
    if (there.problem === undefined) return there;
  }
  return spot;
};

/**
 * A point in the element where a click lands in it.
 * @param {Element} shown the element to point at @param {Element} meant the one that it is for: another one if that is a label
 * @returns {{x: number, y: number} | (Problem & {outside?: boolean})}
 */
const spotIn = (shown, meant) => {
  let second = null;
  let framed = null;
  let covering = null;
  let inside = false;
  const rects = [...clientRectsOf.call(shown)].filter(({ width, height }) => width > 0 && height > 0).slice(0, 4);
  for (const [right, down] of SPOTS) {
    for (const rect of rects) {
      // Of a box that sticks out of the window, the part that is in it.
      const left = Math.max(rect.left, 0);
      const top = Math.max(rect.top, 0);
      const width = Math.min(rect.right, innerWidth) - left;
      const height = Math.min(rect.bottom, innerHeight) - top;
      if (width <= 0 || height <= 0) continue;
      inside = true;
      const x = left + width * right;
      const y = top + height * down;
      const hit = hitAt(x, y);
      const landing = hit === null ? 'no' : landsIn(hit, shown, meant);
      if (landing === 'yes') return { x, y };
      if (landing === 'nested' && !isOwnEditor(meant)) second ??= { x, y };
      else if (landing === 'framed') framed ??= { x, y, framed: true };
      else covering ??= hit;
    }
  }
  if (second !== null || framed !== null) return second ?? framed;
  // A part of the page that is switched off lets everything through.
  if (closest(shown, '[inert]') !== null) return { problem: 'disabled' };
  if (styleOf(shown).pointerEvents === 'none') return { problem: 'covered', says: 'passes' };
  if (!inside) return { problem: 'invisible', says: 'out of sight', outside: true };
  // What a scrolled area cuts off is hit by what is beside it; it has to be scrolled to as well.
  return { problem: 'covered', covering: covering && nameFor(covering), outside: isCutOff(shown) };
};

/** @type {(element: Element) => boolean} whether a scrolled area around it leaves nothing of it to be seen */
const isCutOff = element => {
  const box = boxOf(element);
  for (let at = holderOf(element); at; at = holderOf(at)) {
    if (styleOf(at).overflowX === 'visible' && styleOf(at).overflowY === 'visible') continue;
    const { left, top, right, bottom } = boxOf(at);
    if (box.left >= right || box.right <= left || box.top >= bottom || box.bottom <= top) return at !== documentElement(document) && at !== bodyOf(document);
  }
  return false;
};

/** Elements that may show another document: what is clicked there is told to that one alone. */
const FRAMES = new Set(['iframe', 'frame', 'object', 'embed']);

/** @returns {'yes' | 'nested' | 'framed' | 'no'} `nested`: in it, but in a control of its own that is in it; `framed`: in a frame that is in it */
const landsIn = (hit, shown, meant) => {
  let nested = null;
  for (let at = hit; at; at = holderOf(at)) {
    if (at === shown || at === meant) {
      if (hit !== null && FRAMES.has(tagOf(hit))) return 'framed';
      return nested === null || isFieldOf(nested, at) ? 'yes' : 'nested';
    }
    if (tagOf(at) === 'label' && at.control === meant) return 'yes';
    if (matches(at, CONTROL) && !isIdleLabel(at, meant)) nested ??= at;
  }
  if (hit === null) return 'no';
  const isLetThrough = styleOf(meant).pointerEvents === 'none';
  const control = isLetThrough ? takerFor(meant) : null;
  if (control && contains(control, hit) && !hasControl(hit, control)) return 'yes';
  return isLaidOver(hit, meant, isLetThrough) ? 'yes' : 'no';
};

/** The field that a box is made of: whoever clicks such a box clicks the field. */
const fieldFilling = box => {
  if (roleOf(box) !== 'generic' || matches(box, CONTROL) || boxOf(box).height > TALLEST_PART) return undefined;
  return [...select(box, 'input, textarea')].find(field => isFieldOf(field, box) && isThere(field) && !isDisabled(field, roleOf(field), tagOf(field)));
};

/** Whether a field for text fills so much of a box that is no control itself that a click on the box is one on the field. */
const isFieldOf = (field, box) => {
  if (!isField(field) || kindOfField(field) !== 'text' || matches(box, CONTROL)) return false;
  const [inner, outer] = [boxOf(field), boxOf(box)];
  const width = Math.min(inner.right, outer.right) - Math.max(inner.left, outer.left);
  const height = Math.min(inner.bottom, outer.bottom) - Math.max(inner.top, outer.top);
  return width > 0 && height > 0 && width * height * 3 >= outer.width * outer.height;
};

/** The control that takes the clicks which something in it lets through: any for what is no control itself, a list for its field. */
const takerFor = meant => {
  const control = closest(meant, CONTROL);
  if (control !== meant) return control;
  const around = holderOf(meant);
  return around && (isField(meant) || tagOf(meant) === 'select') ? closest(around, '[role=combobox i]') : null;
};

/** Whether there is a control from one thing outwards to another, that one not counted. */
const hasControl = (inner, outer) => {
  for (let at = inner; at && at !== outer; at = holderOf(at)) if (matches(at, CONTROL)) return true;
  return false;
};

/** What a click anywhere in it presses or follows. */
const PRESSED_THEMSELVES = 'a[href], button, summary, [role=link i], [role=button i]';

/** How far above and below a field something may reach that is made for it alone, in pixels. */
const ROOM = 40;

/**
 * Whether something is laid over a field to be seen in its place, and is clicked for it: what has been chosen, or what is to be. Both are
 * in a box that is about as tall as the field and has no other control in it, and it has text that covers more of the field than an icon would.
 * A field that lets clicks through has said as much itself, and so has a list that nobody can see.
 */
const isLaidOver = (hit, field, isLetThrough) => {
  if (!isField(field) && roleOf(field) !== 'combobox') return false;
  let box = holderOf(field);
  while (box && !contains(box, hit)) box = holderOf(box);
  if (!box || contains(box, bodyOf(document)) || hasControl(hit, box) || closest(box, PRESSED_THEMSELVES) !== null) return false;
  const { left, right, top, bottom, height } = boxOf(field);
  const over = boxOf(hit);
  const whole = boxOf(box).height;
  if (whole > height + ROOM || over.top < top - ROOM || over.bottom > bottom + ROOM) return false;
  if (isLetThrough || (roleOf(field) === 'combobox' && isUnseen(field))) return true;
  const isWide = Math.min(right, over.right) - Math.max(left, over.left) >= (right - left) / 2;
  return isWide && seenText(hit) !== '' && [...select(box, CONTROL)].every(control => contains(field, control));
};

/** What an element is, for people: the one that covers another, for example. */
const nameFor = element => {
  beginNames();
  const role = roleOf(element);
  const id = attribute(element, 'id');
  const classes = attribute(element, 'class')?.trim().split(/\s+/)[0];
  const markup = `<${tagOf(element)}${id ? ` id="${id.slice(0, 60)}"` : classes ? ` class="${classes.slice(0, 60)}"` : ''}>`;
  return { number: numberOf(element), role, name: shortName(nameOf(element, role) || (isFilled(element) ? '' : seenText(element))), markup };
};
/** Whether what it shows was put there: that is not what it is called. */
const isFilled = element => isField(element) || tagOf(element) === 'select' || element.isContentEditable === true;
const shortName = text => (text.length > 80 ? `${text.slice(0, 80)}…` : text);

/**
 * The same for the element that holds a frame, and a point in that frame: where the point is in this one, if a click there goes to it.
 * @param {number} number the element that holds the frame @param {number} x @param {number} y in the frame's own window
 */
const aimThrough = async (number, x, y, patience) => {
  const end = performance.now() + patience;
  for (let turns = 0; ; turns++) {
    const frame = elementOf(number);
    if (frame === null) return { problem: 'gone' };
    const box = boxOf(frame);
    const [right, down] = insetOf(frame);
    // A frame may be drawn larger or smaller than it is.
    const scale = frame.offsetWidth > 0 ? box.width / frame.offsetWidth : 1;
    const spot = { x: box.left + (right + x) * scale, y: box.top + (down + y) * scale };
    const hit = hitAt(spot.x, spot.y);
    if (hit === frame) return spot;
    if (turns < ALIGNMENTS.length) {
      const outside = spot.x < 0 || spot.y < 0 || spot.x >= innerWidth || spot.y >= innerHeight;
      if (outside || turns > 0) {
        scrollToElement.call(frame, { block: 'nearest', inline: 'nearest', behavior: 'instant' });
        const now = boxOf(frame);
        const deltaX = now.left + (right + x) * scale - innerWidth / 2;
        const deltaY = now.top + (down + y) * scale - innerHeight / 2;
        if (outside) scrollBy({ left: deltaX, top: deltaY, behavior: 'instant' });
      }
      continue;
    }
    if (performance.now() >= end) return { problem: 'covered', covering: hit && nameFor(hit), waited: true };
    await nextFrame();
  }
};

/** What is at a point, for people: the number of the element that a click there means, or of the frame that it goes into. */
const at = (x, y) => {
  const hit = hitAt(x, y);
  if (hit === null) return null;
  const means = closest(hit, CONTROL) ?? hit;
  const frame = FRAMES.has(tagOf(hit));
  const box = boxOf(hit);
  const scale = frame && hit.offsetWidth > 0 ? box.width / hit.offsetWidth : 1;
  const [right, down] = frame ? insetOf(hit) : [0, 0];
  return { ...nameFor(means), frame, holder: frame ? numberOf(hit) : 0, x: (x - box.left) / scale - right, y: (y - box.top) / scale - down };
};

Object.assign(api, { aimThrough, at });
