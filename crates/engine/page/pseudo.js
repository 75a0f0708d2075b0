// Text that style sheets put in front of elements and behind them (CSS Pseudo 4 §3.1). Asking the browser for an element's
// pseudo-element costs more than all the rest of its name, so the sheets are read first, and only elements that a rule with content
// could mean are asked. A sheet that may not be read (of another origin) could mean any; then a few elements of each kind are asked, and
// the rest of a kind of which none had content is taken to have none either.

/** @typedef {{class: Map<string, string>, id: Map<string, string>, tag: Map<string, string>, attributes: string, any: string}} Hosts
 *  selectors of elements that may have a pseudo-element, by what they end in */
/** @typedef {{sheets: object[], kinds: Map<string, number> | null, before: Hosts | null, after: Hosts | null, shaped: Shapes | null}} Scope
 *  of one document or shadow root; `kinds` where there is a sheet that may not be read: how many of a kind had nothing; `shaped`: the
 *  elements whose rules change whether they are seen */

/** What a sheet says, for as long as it has as many rules. @type {WeakMap<CSSStyleSheet, object>} */
const readSheets = new WeakMap();
/** @type {WeakMap<Node, Scope>} */
const scopes = new WeakMap();
/** Those that are known to be up to date in this run. @type {WeakMap<Node, Scope>} */
let freshScopes = new WeakMap();

/** Makes the next questions look at the style sheets again. To be called before a run of questions, in the same turn. */
const beginPseudo = () => {
  freshScopes = new WeakMap();
};

const PSEUDO = /::?(before|after)\b/i;
const WITHOUT_TEXT = new Set(['', 'none', 'normal', 'initial', 'unset', 'inherit', 'revert', 'revert-layer', '""', "''"]);
/** Icons that a font draws in the place of characters of nobody: not text to anyone who does not have the font. */
const PRIVATE = /[\ue000-\uf8ff]|[\udb80-\udbff][\udc00-\udfff]/g;

/** The escapes of CSS (CSS Syntax 3 §4.3.7). @param {string} text */
const unescaped = text =>
  text.replace(/\\(?:([0-9a-f]{1,6})\s?|(.))/gi, (_, code, char) => (code ? characterOf(Number.parseInt(code, 16)) : char));
const characterOf = code => (code === 0 || code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code));

/** @param {string} list @returns {string[]} the selectors of a list */
const selectorsIn = list => {
  const selectors = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < list.length; at++) {
    const char = list[at];
    if (char === '\\') at++;
    else if (char === '(' || char === '[') depth++;
    else if (char === ')' || char === ']') depth--;
    else if (char === '"' || char === "'") at = list.indexOf(char, at + 1) < 0 ? list.length : list.indexOf(char, at + 1);
    else if (char === ',' && depth === 0) {
      selectors.push(list.slice(start, at));
      start = at + 1;
    }
  }
  selectors.push(list.slice(start));
  return selectors;
};

/**
 * The hosts of pseudo-elements with text in a list of rules, as [which, selector].
 * @param {CSSRuleList} rules @param {string | null} outer the selector around, where rules are nested
 * @param {{hosts: [string, string][], shaped: [string, number][], anything: boolean}} found
 */
const readRules = (rules, outer, found) => {
  for (const rule of rules) {
    if (rule instanceof CSSImportRule) readSheet(rule.styleSheet, found);
    else if (rule instanceof CSSKeyframesRule) continue;
    else {
      const selector = rule instanceof CSSStyleRule ? nestedIn(outer, rule.selectorText) : outer;
      if (selector !== null && rule.style) {
        if (PSEUDO.test(selector) && mayHaveText(rule.style.content)) addHosts(selector, found);
        const shapes = shapesIn(rule.style);
        if (shapes > 0) for (const one of selectorsIn(selector)) found.shaped.push([one.trim(), shapes]);
      }
      if (rule.cssRules?.length) readRules(rule.cssRules, selector, found);
    }
  }
};

const mayHaveText = content => {
  if (WITHOUT_TEXT.has(content)) return false;
  return !/^"[^"]*"$/.test(content) || unescaped(content).replace(PRIVATE, '') !== '""';
};
/** CSS Nesting 1 §3: `&` stands for what the outer rule means; a pseudo-element cannot stand in `:is()`, so it stays as it is. */
const nestedIn = (outer, selector) => {
  if (outer === null) return selector;
  if (PSEUDO.test(outer)) return outer;
  return selectorsIn(selector).map(one => (one.includes('&') ? one.replaceAll('&', `:is(${outer})`) : `:is(${outer}) ${one}`)).join();
};
const addHosts = (list, found) => {
  for (const selector of selectorsIn(list)) {
    const pseudo = PSEUDO.exec(selector);
    if (!pseudo) continue;
    const host = selector.slice(0, pseudo.index).trimStart();
    found.hosts.push([pseudo[1].toLowerCase(), /[\s>+~]$|^$/.test(host) ? `${host}*` : host]);
  }
};
const readSheet = (sheet, found) => {
  if (!sheet || sheet.disabled) return;
  try {
    readRules(sheet.cssRules, null, found);
  } catch {
    found.anything = true;
  }
};

/** @param {CSSStyleSheet} sheet @returns {{hosts: [string, string][], shaped: [string, number][], anything: boolean}} */
const factsOf = sheet => {
  let count = -1;
  try {
    count = sheet.disabled ? 0 : sheet.cssRules.length;
  } catch {
    // Of another origin: it stays unread.
  }
  const known = readSheets.get(sheet);
  if (known?.count === count) return known;
  const found = { count, hosts: [], shaped: [], anything: false };
  readSheet(sheet, found);
  readSheets.set(sheet, found);
  return found;
};

/** @returns {Hosts} */
const newHosts = () => ({ class: new Map(), id: new Map(), tag: new Map(), attributes: '', any: '' });
const addTo = (map, key, selector) => map.set(key, map.has(key) ? `${map.get(key)},${selector}` : selector);

/** Whether any shadow root has content for the elements in its slots. */
let slottedAnywhere = false;

/** Nothing but the outline of a selector, as long as itself: what stands in strings, brackets and parentheses is blanked out. */
const outlineOf = selector => {
  const blank = text => '_'.repeat(text.length);
  let outline = selector.replace(/\\./g, '__').replace(/"[^"]*"|'[^']*'/g, blank);
  outline = outline.replace(/\[[^\]]*\]/g, text => `[${blank(text.slice(1))}`);
  for (let before = ''; before !== outline; ) {
    before = outline;
    outline = outline.replace(/\([^()]*\)/g, blank);
  }
  return outline;
};

/** Sorts a selector by what its last part needs, as browsers do. @param {Hosts} hosts @param {string} selector */
const sortIn = (hosts, selector) => {
  slottedAnywhere ||= selector.includes('::slotted');
  // Selectors that look out of a shadow root or into it mean other elements than `matches` would say.
  const test = /:host|::slotted|::part|:scope/.test(selector) ? '*' : selector;
  const [kind, name] = keyOf(selector);
  if (name !== '') addTo(hosts[kind], name, test);
  else hosts[kind] += hosts[kind] ? `,${test}` : test;
};

/** What the last part of a selector needs: an id, a class, a tag, some attribute, or nothing. @param {string} selector @returns {[string, string]} */
const keyOf = selector => {
  const outline = outlineOf(selector);
  const last = Math.max(...[...' >+~'].map(combinator => outline.lastIndexOf(combinator))) + 1;
  const named = sign => {
    const at = outline.indexOf(sign, last);
    return at < 0 ? '' : unescaped(/^(?:\\.|[^\s.#:[\\])+/.exec(selector.slice(at + 1))?.[0] ?? '');
  };
  const className = named('.');
  const id = named('#');
  const tag = /^[a-z][\w-]*/i.exec(selector.slice(last))?.[0];
  if (className) return ['class', className];
  if (id) return ['id', id];
  if (tag) return ['tag', tag.toLowerCase()];
  return [outline.includes('[', last) ? 'attributes' : 'any', ''];
};

const sheetsOf = { 9: getter(Document.prototype, 'styleSheets'), 11: getter(ShadowRoot.prototype, 'styleSheets') };
const adoptedOf = { 9: getter(Document.prototype, 'adoptedStyleSheets'), 11: getter(ShadowRoot.prototype, 'adoptedStyleSheets') };

/** @param {Document | ShadowRoot} root @returns {Scope} */
const scopeOf = root => {
  const fresh = freshScopes.get(root);
  if (fresh) return fresh;
  const kind = nodeType(root);
  const sheets = sheetsOf[kind] ? [...sheetsOf[kind](root), ...adoptedOf[kind](root)].map(factsOf) : [];
  let scope = scopes.get(root);
  if (!scope || scope.sheets.length !== sheets.length || scope.sheets.some((facts, at) => facts !== sheets[at])) {
    const anything = sheets.some(facts => facts.anything);
    scope = { sheets, kinds: anything ? new Map() : null, before: null, after: null, shaped: null };
    for (const { hosts, shaped } of sheets) {
      for (const [which, selector] of hosts) sortIn((scope[which] ??= newHosts()), selector);
      for (const [selector, shapes] of shaped) addShape((scope.shaped ??= newShapes()), selector, shapes);
    }
    scopes.set(root, scope);
  }
  freshScopes.set(root, scope);
  return scope;
};

/** A selector that the browser does not take in `matches` may mean any element. */
const mayMatch = (element, selector) => {
  try {
    return matches(element, selector);
  } catch {
    return true;
  }
};

/** How many of a kind are asked before the rest is believed to have nothing. */
const ENOUGH = 16;
/** What most selectors go by: the element and the one around it, each with its classes. */
const kindOf = (which, element) => {
  const parent = parentNode(element);
  return isElement(parent) ? `${which} ${outsideOf(element)} ${outsideOf(parent)}` : `${which} ${outsideOf(element)}`;
};
const outsideOf = element => (hasAny(element) ? `${tagOf(element)}.${attribute(element, 'class')}` : tagOf(element));
/** Keeps in mind whether an element of a kind had content; one that had makes its kind be asked for ever. */
const learn = (kinds, which, element, hasContent) => {
  const kind = kindOf(which, element);
  const sofar = kinds.get(kind) ?? 0;
  if (kinds.size > 10_000) kinds.clear();
  kinds.set(kind, hasContent ? Number.NEGATIVE_INFINITY : sofar + 1);
};

/** @param {Scope} scope @param {'before' | 'after'} which @param {Element} element @returns {boolean} */
const mayHave = (scope, which, element) => {
  if (scope.kinds !== null && (scope.kinds.get(kindOf(which, element)) ?? 0) < ENOUGH) return true;
  const hosts = scope[which];
  if (hosts === null) return false;
  const byTag = hosts.tag.size && hosts.tag.get(tagOf(element));
  if (byTag && mayMatch(element, byTag)) return true;
  if (hosts.any && mayMatch(element, hosts.any)) return true;
  if (!hasAny(element)) return false;
  if (hosts.attributes && mayMatch(element, hosts.attributes)) return true;
  const byName = hosts.id.size && hosts.id.get(attribute(element, 'id'));
  if (byName && mayMatch(element, byName)) return true;
  if (!hosts.class.size) return false;
  for (const name of (attribute(element, 'class') ?? '').split(/\s+/)) {
    const byClass = hosts.class.get(name);
    if (byClass && mayMatch(element, byClass)) return true;
  }
  return false;
};

const PARTS = /[a-z-]*\((?:"(?:[^"\\]|\\.)*"|[^"()])*\)|"((?:[^"\\]|\\.)*)"|(open-quote)|(close-quote)|(\/)/gi;
/** @returns {boolean} whether it is a quotation within another, which has single marks */
const isQuoted = element => {
  let depth = 0;
  for (let above = parentElement(element); above !== null && (above = closest(above, 'q')) !== null; above = parentElement(above)) depth++;
  return depth % 2 === 1;
};
/** The text of a `content` value (CSS Content 3 §2); images count with their alternative text, counters not at all. */
const contentText = (content, element) => {
  let text = '';
  let isAlternative = false;
  for (const [part, string, opening, closing, alternative] of content.matchAll(PARTS)) {
    if (string !== undefined) text += unescaped(string);
    else if (opening) text += isQuoted(element) ? '‘' : '“';
    else if (closing) text += isQuoted(element) ? '’' : '”';
    else if (alternative) [text, isAlternative] = ['', true];
    else if (/^attr\(/i.test(part)) text += attribute(element, /^attr\(\s*([^\s,)]*)/i.exec(part)[1]) ?? '';
  }
  text = text.replace(PRIVATE, '');
  return isAlternative && text !== '' ? ` ${text} ` : text;
};

/** Rules of the browser, of the element's own shadow root, of the one it is slotted into, or of the one around it. */
const mayHaveFromElsewhere = (which, element) => {
  const tag = tagOf(element);
  if (tag === 'q') return true;
  if (HOSTS.has(tag) || tag.includes('-')) {
    const inner = shadowRootOf(element);
    if (inner !== null && scopeOf(inner)[which] !== null) return true;
  }
  if (slottedAnywhere && isInSlot(element)) return true;
  return hasAny(element) && has(element, 'part');
};
/** Besides custom elements, the only ones that can have a shadow root (DOM §4.9, attachShadow). */
const HOSTS = new Set('article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span'.split(' '));
const isInSlot = element => {
  const parent = parentNode(element);
  return isElement(parent) && shadowRootOf(parent) !== null;
};

/**
 * The text that style sheets put in front of an element's content or behind it; with blanks around it where it is a block of its own.
 * @param {Element} element @param {'::before' | '::after'} pseudo @returns {string}
 */
const pseudoText = (element, pseudo) => {
  const which = pseudo === '::before' ? 'before' : 'after';
  const scope = scopeOf(rootOf(element));
  if (!mayHave(scope, which, element) && !mayHaveFromElsewhere(which, element)) return '';
  const style = styleOf(element, pseudo);
  const { content, display } = style;
  if (scope.kinds !== null) learn(scope.kinds, which, element, content !== 'none' && content !== 'normal');
  if (content === 'none' || content === 'normal' || display === 'none' || style.visibility !== 'visible') return '';
  const text = contentText(content, element);
  return text === '' || display === 'inline' || display === 'contents' ? text : ` ${text} `;
};
