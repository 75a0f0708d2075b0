// When what an action set going in this frame is over: timers that it started, what it asked to be done with the next frame, and the
// changes that follow from those. Requests are the engine's to wait for. A page where nothing was set going is not waited for at all.

const TIMERS = '__WEBHAND_TIMERS__';
const TIMED = '__WEBHAND_TIMED__';
const READS = '__WEBHAND_READS__';
/** What the page's own world is told; see timers-main.js. */
const BEGIN = 1;
const CLOSE = 2;
const END = 3;

/** How many turns in a row may bring changes before we stop waiting for them to end: some pages never stand still. */
const MOST_TURNS = 6;
/** A movement that began this long ago, in milliseconds, has been drawn by now. */
const DRAWN = 50;
/** How many frames altogether what fades in is waited for. */
const MOST_FRAMES = 6;
/** How long timers are waited for altogether, in milliseconds. */
const LONGEST_TIMERS = 600;

/** Whether something changed in the page since we last asked. */
let changed = false;
/** What was added or got another look because of the action, as far as we keep count. @type {Set<Element>} */
let touched = new Set();
const MOST_TOUCHED = 50;
/** What a script has given a style since the action, and what it has done so more than once, with a turn in between. @type {Set<Element>} */
let styled = new Set();
let restyled = new Set();
/** How large and how faint those are, as far as a script says so. @type {WeakMap<Element, string>} */
let measures = new WeakMap();
/** @type {MutationObserver | null} */
let effects = null;
/** Shadow roots that the action reached, or whose hosts it changed: what happens in them is not seen from the document. @type {Set<ShadowRoot>} */
let regarded = new Set();
/** When the action began, by the clock of the page's animations. */
let began = 0;
/** Called when something changes. @type {null | (() => void)} */
let whenChanged = null;
/** How many timers of the action are still to come. */
let timersLeft = 0;
/** @type {null | (() => void)} */
let whenTimed = null;
/** How many intervals that the action started go on. */
let intervals = 0;
/** Called when one of them has done something, or was ended. @type {null | (() => void)} */
let whenStepped = null;

/** How much of the answers to its requests the page is just reading. */
let reads = 0;
addEventListener(READS, event => (reads = event.detail), true);

addEventListener(TIMED, event => {
  if (event.detail < 0) {
    intervals = -1 - event.detail;
    whenStepped?.();
    return;
  }
  timersLeft = event.detail;
  if (timersLeft === 0) whenTimed?.();
}, true);
const sendEvent = EventTarget.prototype.dispatchEvent;
const tellTimers = detail => sendEvent.call(document, new UIEvent(TIMERS, { detail }));

/** Why forms were not sent: fields that the browser found fault with. @type {string[]} */
let faults = [];
addEventListener('invalid', ({ target }) => {
  if (effects === null || faults.length > 4 || !(target instanceof Element)) return;
  beginNames();
  faults.push(`${JSON.stringify(shortName(nameOf(target, roleOf(target))))}: ${JSON.stringify(target.validationMessage ?? '')}`);
}, true);

/** What may lead to another page, unless the page's scripts prevent it: links that were clicked, forms that were sent. @type {Event[]} */
let ways = [];
addEventListener('submit', event => effects !== null && ways.push(event), true);
/** Those of them that lead to a tab of their own, by how they were clicked. @type {Event[]} */
let waysToTabs = [];
const isMac = /^Mac/.test(navigator.platform);
for (const type of ['click', 'auxclick']) {
  addEventListener(type, event => {
    if (effects === null || event.button === 2) return;
    const link = event.composedPath().find(node => node instanceof Element && matches(node, 'a[href], area[href]'));
    if (link === undefined) return;
    ways.push(event);
    const isApart = event.button === 1 || event.shiftKey || (isMac ? event.metaKey : event.ctrlKey);
    if (isApart && /^https?:$/.test(link.protocol)) waysToTabs.push(event);
  }, true);
}

/** @param {Node | null} root */
const regard = root => {
  if (effects === null || !(root instanceof ShadowRoot) || regarded.has(root) || regarded.size >= MOST_TOUCHED) return;
  regarded.add(root);
  effects.observe(root, WITHIN);
};
for (const type of ['pointerdown', 'click', 'keydown', 'input', 'change']) {
  addEventListener(type, event => effects !== null && event.composedPath().forEach(regard), true);
}

const touchAll = nodes => {
  for (const node of nodes) {
    if (touched.size >= MOST_TOUCHED) return;
    if (node instanceof Element) touched.add(node);
  }
};

const note = records => {
  if (records.length === 0) return;
  const now = new Set();
  for (const { type, target, addedNodes, attributeName } of records) {
    if (type === 'attributes') regard(shadowRootOf(target));
    if (attributeName === 'style' && now.size < MOST_TOUCHED) now.add(target);
    if (touched.size >= MOST_TOUCHED) continue;
    if (type === 'childList') touchAll(addedNodes);
    else if (attributeName === 'class' || attributeName === 'style') touched.add(target);
  }
  for (const element of now) if (styled.has(element)) restyled.add(element);
  if (styled.size < MOST_TOUCHED) styled = styled.union(now);
  changed = true;
  whenChanged?.();
};

const WITHIN = { subtree: true, childList: true, attributes: true, characterData: true };

/** From now on it is noted what happens. */
const watchEffects = () => {
  changed = false;
  touched = new Set();
  styled = new Set();
  restyled = new Set();
  measures = new WeakMap();
  ways = [];
  waysToTabs = [];
  savesFile = false;
  faults = [];
  effects?.disconnect();
  effects = new MutationObserver(note);
  effects.observe(document, WITHIN);
  regarded = new Set();
  began = document.timeline.currentTime ?? 0;
  timersLeft = 0;
  reads = 0;
  intervals = 0;
  tellTimers(BEGIN);
  return true;
};

/** A window knows that it is about to close before anybody else does. */
const isClosed = Object.getOwnPropertyDescriptor(window, 'closed').get;

/** A turn of the page: what was to be done at once has been done. */
const turn = () =>
  new Promise(resolve => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(0);
  });

/**
 * Waits until it is over, as far as this frame knows. What follows from a change within the page comes in its next turns; a frame is
 * waited for only where something asked for one, or has just begun to move.
 * @param {number} again how many frames at most a change is waited for, since something outside has just ended that the page will now react to
 * @param {number | null} seen the generation that the engine has seen, if it wants to see what changed
 * @param {string | null} end what to do then, with `text`
 * @returns {Promise<{verdict: string, savesFile: boolean, closes: boolean, opensTab: boolean, title: string, faults: string[], quiet: boolean, reads: boolean, ended?: any, changes?: string}>} the verdict on
 *   the click, if there was one; `quiet` if nothing was waited for: only then what changed is told, since otherwise more may be to come
 */
const settle = async (again, seen, end, text) => {
  const verdict = unguard();
  const over = quiet => ({
    verdict, savesFile, closes: isClosed.call(window), opensTab: waysToTabs.some(({ defaultPrevented }) => !defaultPrevented), title: titleOf(document), faults, quiet, reads: reads > 0,
    ended: end ? api[end](text) : undefined,
    changes: quiet && seen !== null ? api.snapshot(seen, true) : undefined,
  });
  if (effects) note(effects.takeRecords());
  const leads = ways.some(({ defaultPrevented }) => !defaultPrevented);
  // Nothing was put off: what the action did has been done by now.
  if (again === 0 && !leads && timersLeft === 0 && !(changed && (beginsToMove() || comesUp() || thoseOnTheirWay(performance.now() + LONGEST_TIMERS).length))) {
    tellTimers(CLOSE);
    return over(true);
  }
  await turn();
  await turn();
  tellTimers(CLOSE);
  if (again > 0 && !changed) await changeOrFrames(again);
  const until = performance.now() + LONGEST_TIMERS;
  let frames = MOST_FRAMES;
  for (let turns = 0; turns < MOST_TURNS; ) {
    if (timersLeft > 0 && performance.now() < until) {
      await timers(until);
      await turn();
    } else if (changed) {
      changed = false;
      if (beginsToMove() || comesUp()) await nextFrame();
      for (; frames > 0 && (fadesIn() || comesUp()); frames--) await nextFrame();
      await onTheirWay(until);
      await byScript(until);
      await turn();
      await turn();
      turns++;
    } else {
      break;
    }
  }
  return over(false);
};

/** What is typed has come to the page. @type {Promise<void>} */
let arrival = Promise.resolve();
/** Called when it has; null if nothing is expected. @type {null | (() => void)} */
let arrive = null;
const expectInput = () => (arrival = new Promise(resolve => (arrive = resolve)));
/** The engine says that it has come, if it has not been seen: perhaps the page kept it from us, or would not have it. */
const inputIsOver = () => {
  removeEventListener('input', inputIsOver);
  arrive?.();
  arrive = null;
};
// At the end of the event's way, behind all listeners of the page. A turn later the page would draw first, which takes longer than all the rest.
addEventListener('input', event => event.isTrusted && arrive && addEventListener('input', inputIsOver), true);

/** The same from the moment when what is being typed has come to the page: the page knows that sooner than the engine does. */
const settleOnInput = async (...how) => {
  await arrival;
  return settle(...how);
};

/** What ended outside reaches the page's code in its own time, which shows; but perhaps it changes nothing. */
const changeOrFrames = frames =>
  new Promise(resolve => {
    whenChanged = resolve;
    (async () => {
      for (; frames > 0 && !changed; frames--) await nextFrame();
      resolve();
    })();
  });

const animationsIn = { 9: Document.prototype.getAnimations, 11: ShadowRoot.prototype.getAnimations };
const allAnimations = () => [document, ...regarded].flatMap(root => animationsIn[nodeType(root)].call(root));
const isBeginning = ({ playState, currentTime }) => playState === 'running' && !(currentTime > DRAWN);
/** What has only begun to be shown is still as it was before. */
const beginsToMove = () => allAnimations().some(isBeginning);

/** What fades in is nowhere to be seen in its first frame: lists and calendars that open, for example. */
const fadesIn = () => allAnimations().some(animation => isBeginning(animation) && isBlank(animation.effect?.target));
const heightOf = getter(HTMLElement.prototype, 'offsetHeight');
/** Whether it has its place, but cannot be seen there: transparent, or made as small as can be. */
const isBlank = element => element instanceof HTMLElement && heightOf(element) > 0 && (isTransparent(styleOf(element)) || boxOf(element).height === 0);

const keyframesOf = KeyframeEffect.prototype.getKeyframes;
const timingOf = AnimationEffect.prototype.getComputedTiming;
const isNone = value => /^0(px|fr|%)?$|scale[XY]?\([^)]*\b0\b(?!\.)/.test(String(value).trim());
const PLACES = ['transform', 'translate', 'left', 'right', 'top', 'bottom'];
/**
 * Whether what can be read is on its way out or in: it fades, shrinks to nothing, comes with a delay, is moved over the page, or a script has it grow or
 * come up from nothing. What is on its way is still told as it was, and pages remove what has gone only when it has. What moves of a button or a link is
 * only its looks.
 */
const isOnItsWay = (animation, until) => {
  const { effect, playState, currentTime } = animation;
  if (playState !== 'running' || !(effect instanceof KeyframeEffect) || !(effect.target instanceof HTMLElement)) return false;
  const { endTime, delay } = timingOf.call(effect);
  if (!(endTime - (currentTime ?? 0) <= until - performance.now())) return false;
  const frames = keyframesOf.call(effect);
  const last = frames.at(-1) ?? {};
  const goes = last.visibility === 'hidden' || [last.opacity, last.height, last.maxHeight, last.gridTemplateRows, last.transform, last.scale].some(isNone);
  const waits = delay > (currentTime ?? 0) && ('opacity' in last || 'visibility' in last);
  const comes = isScripts(animation) && VANISHING.some(property => isNone(frames[0]?.[property]));
  const moves = () => PLACES.some(place => place in last) && ['fixed', 'absolute'].includes(styleOf(effect.target).position);
  return (goes || waits || comes || moves()) && holdsText(effect.target) && !isPartOfButton(effect.target);
};
const VANISHING = ['opacity', 'height', 'maxHeight', 'transform', 'scale'];
/** Whether a script began it, because of the action, rather than a style sheet. */
const isScripts = animation =>
  !(animation instanceof CSSTransition) && !(animation instanceof CSSAnimation) && (animation.startTime === null || animation.startTime >= began);
/** Whether there is text in it, or put into it. */
const holdsText = element => isText(element) || [...select(element, 'slot')].some(slot => assignedNodes.call(slot, { flatten: true }).some(isText));
const isText = node => flat(textContent(node)) !== '';
/** What is dragged may say that it is a button; a script has fixed it to the pointer then. */
const isPartOfButton = element => closest(element, 'button, a, [role=button i]') !== null && styleAttribute(element).position !== 'fixed';

const thoseOnTheirWay = until => allAnimations().filter(animation => isOnItsWay(animation, until));

/** Waits for what is on its way, unless it takes too long. */
const onTheirWay = async until => {
  const all = thoseOnTheirWay(until);
  if (all.length === 0) return;
  await Promise.race([Promise.allSettled(all.map(({ finished }) => finished)), new Promise(resolve => setTimeout(resolve, Math.max(0, until - performance.now())))]);
  // Pages hear of it in the next frame.
  await nextFrame();
};

/** Waits while a script makes something larger or smaller, or lets it fade, from frame to frame or with an interval. */
const byScript = async until => {
  while ([...restyled].filter(isGrowing).length > 0 && performance.now() < until) {
    restyled.clear();
    const left = until - performance.now();
    await Promise.all([nextFrame(left), intervals > 0 ? nextStep(left) : null]);
    // The page's part of the frame may come behind ours.
    await turn();
    if (effects) note(effects.takeRecords());
  }
};
const nextStep = longest =>
  new Promise(resolve => {
    whenStepped = resolve;
    setTimeout(resolve, longest);
  });
const isGrowing = element => {
  if (!(element instanceof HTMLElement) || !isConnected(element) || flat(textContent(element)) === '') return false;
  const { height, maxHeight, opacity } = styleAttribute(element);
  const [now, before] = [`${height} ${maxHeight} ${opacity}`, measures.get(element)];
  measures.set(element, now);
  return before === undefined ? now.trim() !== '' : now !== before;
};
const styleAttribute = getter(HTMLElement.prototype, 'style');

/** Whether something with text in it is about to fade in, for which pages take a few frames before they begin. */
const comesUp = () => {
  for (const element of touched) {
    if (!isConnected(element)) touched.delete(element);
    // What is added may come in one or two wrappers.
    else if (withWrapped(element).some(willAppear)) return true;
  }
  return false;
};
const withWrapped = element => {
  const first = firstElementIn(element);
  return [element, first, first && firstElementIn(first)].filter(Boolean);
};
const willAppear = element => {
  if (!isBlank(element)) return false;
  const { transitionDuration, animationDuration } = styleOf(element);
  return /[1-9]/.test(transitionDuration + animationDuration) && flat(textContent(element)) !== '';
};

const timers = until =>
  new Promise(resolve => {
    whenTimed = resolve;
    setTimeout(resolve, Math.max(0, until - performance.now()));
  });

/** Nobody waits any more. */
const unwatchEffects = () => {
  effects?.disconnect();
  effects = null;
  ways = [];
  waysToTabs = [];
  touched = new Set();
  styled = new Set();
  restyled = new Set();
  regarded = new Set();
  whenChanged = null;
  whenStepped = null;
  inputIsOver();
  // Nothing of the page is held on to.
  if (filling?.over) filling = null;
  tellTimers(END);
  return true;
};

/** How long after its load event a page may still be drawing itself with what the load put off, in milliseconds. */
const FRESH = 400;
/** How long a page with scripts and nothing to see is waited for. */
const LONGEST_EMPTY = 1000;

/** How many timers or frames have been asked for in this document, by anybody: both are numbered from 1 on. */
const countOf = (start, cancel) => {
  const id = start(() => {});
  cancel(id);
  return id - 1;
};
const showsNothing = () => {
  const { body } = document;
  return body instanceof HTMLElement && flat(body.innerText) === '' && select(body, 'img, svg, canvas, video, iframe, input, button, select, textarea').length === 0;
};

/**
 * Waits for what the load of the page put off to its next turns and frames, and for a page that shows nothing to show something. A page without
 * scripts, one that was loaded a while ago and one that started no timer and asked for no frame are not waited for.
 * @param {number} again how many frames to wait for in any case, since something outside has just ended that the page will now react to
 */
const loadIsOver = async again => {
  for (; again > 0; again--) await nextFrame();
  await turn();
  await turn();
  const [timersMade, framesMade] = [countOf(setTimeout, clearTimeout), countOf(requestAnimationFrame, cancelAnimationFrame)];
  // Timers of the same length come in order: those that were to come at once, and those that they start, have come by then.
  for (let chain = 0; chain < 3 && timersMade > 0; chain++) await new Promise(resolve => setTimeout(resolve));
  if (framesMade > 0) await nextFrame();
  await turn();
  if (timersMade + framesMade + again > 0 && showsNothing()) {
    await new Promise(resolve => {
      const watching = new MutationObserver(() => showsNothing() || resolve());
      watching.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
      setTimeout(resolve, LONGEST_EMPTY);
    });
  }
};
const mayStillDraw = () => {
  if (document.scripts.length === 0) return false;
  const { loadEventEnd = 0 } = performance.getEntriesByType('navigation')[0] ?? {};
  return loadEventEnd === 0 || performance.now() - loadEventEnd < FRESH;
};
/** The snapshot of a page that was just loaded, when its load is over. */
const snapshotAtRest = (...how) => (mayStillDraw() ? loadIsOver(0).then(() => api.snapshot(...how)) : api.snapshot(...how));

Object.assign(api, { watchEffects, settle, settleOnInput, inputIsOver, unwatchEffects, loadIsOver, snapshotAtRest });
