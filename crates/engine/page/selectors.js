// Selectors that mean one element and will mean it tomorrow: names that people gave first, places in the tree last.
//
// Whether a selector is unique is known by counting, not by asking: every candidate has the element's tag in it, so a map of how
// often each was met says how many elements it selects, in the document and all shadow roots (as `locate` looks through them).

/** Attributes that people write to tell elements apart, the best one first. `id` comes before them. */
const TELLING = ['name', 'data-testid', 'data-test', 'data-cy', 'data-qa', 'href', 'aria-label', 'placeholder', 'value', 'type', 'title', 'alt'];
/** These alone tell little; two attributes tell more. */
const WEAK = /^\[(type|value)=/;
/** A value that is longer than this is data, not a name. */
const LONGEST = 200;
/** How many paths in shadow roots are tried in all roots. */
const MOST_ASKED = 100;

/** @type {(text: string) => string} a CSS string */
const quoted = text => `"${text.replace(/["\\]/g, '\\$&').replace(/[\0-\x1f\x7f]/g, mark => `\\${mark.charCodeAt(0).toString(16)} `)}"`;

/** @param {string} id @returns {boolean} whether a program made it up: another one after the next build, or the next load */
const isGenerated = id =>
  /:|«|\d{4,}|[0-9a-f]{8}-[0-9a-f]{4}-|_r_/i.test(id) || /(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{8,}/i.test(id) || id.length > 60;

/** Every element of the document and its shadow roots, in document order. */
function* everyElement(root = document) {
  for (const element of root.querySelectorAll('*')) {
    yield element;
    const inner = shadowRootOf(element);
    if (inner) yield* everyElement(inner);
  }
}

/** Makes selectors for elements with the given tags. */
class Selectors {
  /** @param {Iterable<Element>} elements all there are @param {Set<string>} tags */
  constructor(elements, tags) {
    /** How many elements there are for an id, and for each candidate by its attributes. @type {Map<string, number>} */
    this.counts = new Map();
    this.paths = new Map();
    this.places = new Map();
    this.hasPairs = false;
    // In quirks mode the case of ids does not count.
    this.fold = document.compatMode === 'BackCompat' ? text => text.toLowerCase() : text => text;
    /** @type {Map<Element, string[]>} */
    this.partsOf = new Map();
    for (const element of elements) {
      if (!hasAny(element)) continue;
      const id = attribute(element, 'id');
      if (id) this.count(this.fold(`${tagOf(element)}#${id}`));
      if (!tags.has(tagOf(element))) continue;
      const parts = this.parts(element);
      this.partsOf.set(element, parts);
      for (const part of parts) this.count(tagOf(element) + part);
    }
  }

  count(key) {
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }

  /** @param {Element} element @returns {string[]} its attributes as selectors */
  parts(element) {
    const parts = [];
    for (const name of TELLING) {
      // A password may be in the page's source.
      if (name === 'value' && tagOf(element) === 'input' && isSecret(element)) continue;
      const value = attribute(element, name);
      if (value === null || value.length > LONGEST || (value === '' && name !== 'value')) continue;
      // The case of types does not count.
      parts.push(`[${name}=${quoted(name === 'type' ? value.toLowerCase() : value)}]`);
    }
    return parts;
  }

  /** @param {Element} element @returns {string | null} a selector that selects nothing else */
  of(element) {
    return this.byId(element) ?? this.byAttributes(element) ?? this.byPlace(element);
  }

  byId(element) {
    const id = attribute(element, 'id');
    if (!id || isGenerated(id) || this.counts.get(this.fold(`${tagOf(element)}#${id}`)) !== 1) return null;
    return `${CSS.escape(tagOf(element))}#${CSS.escape(id)}`;
  }

  byAttributes(element) {
    const tag = tagOf(element);
    const parts = this.partsOf.get(element) ?? [];
    const isUnique = part => this.counts.get(tag + part) === 1;
    let found = parts.find(part => !WEAK.test(part) && isUnique(part));
    if (!found) {
      this.countPairs();
      found = pairsOf(parts).find(isUnique) ?? parts.find(isUnique);
    }
    return found ? tag + found : null;
  }

  countPairs() {
    if (this.hasPairs) return;
    this.hasPairs = true;
    for (const [element, parts] of this.partsOf) {
      for (const pair of pairsOf(parts)) this.count(tagOf(element) + pair);
    }
  }

  byPlace(element) {
    const selector = this.path(element);
    const root = rootOf(element);
    if (root === document || this.isUniqueEverywhere(selector)) return selector;
    // The same place in another shadow root has the same path; its host tells them apart.
    const host = this.hostName(root.host);
    const inRoot = `${host} ${selector}`;
    return host && root.querySelectorAll(inRoot).length === 1 ? inRoot : null;
  }

  /** Asks for a path in a shadow root; a page has many roots but few paths. Beyond that the hosts' names must do. */
  isUniqueEverywhere(selector) {
    this.roots ??= [...roots()];
    this.asked ??= new Map();
    if (!this.asked.has(selector)) {
      if (this.asked.size >= MOST_ASKED) return false;
      let found = 0;
      for (const root of this.roots) if ((found += root.querySelectorAll(selector).length) > 1) break;
      this.asked.set(selector, found === 1);
    }
    return this.asked.get(selector);
  }

  /** @param {Element} host @returns {string | undefined} a `:host(…)` that only this host has */
  hostName(host) {
    if (!this.hostNames) {
      this.hostNames = new Map();
      for (const root of (this.roots ??= [...roots()])) {
        for (const name of root.host ? this.namesOfHost(root.host) : []) {
          this.hostNames.set(name, (this.hostNames.get(name) ?? 0) + 1);
        }
      }
    }
    return this.namesOfHost(host).find(name => this.hostNames.get(name) === 1);
  }

  namesOfHost(host) {
    const id = this.byId(host);
    const place = `${CSS.escape(tagOf(host))}:nth-of-type(${this.place(host).at})`;
    const names = id ? [`:host(${id})`] : [];
    names.push(`:host(${place})`);
    for (let around = holderOf(host); around; around = holderOf(around)) {
      const above = this.byId(around);
      if (above) names.push(`:host(${place}):host-context(${above})`);
    }
    return names;
  }

  /** From the nearest ancestor that has a name of its own down to the element. */
  path(element) {
    const known = this.paths.get(element);
    if (known) return known;
    const steps = [];
    let at = element;
    let path = '';
    for (; at; at = parentNode(at)) {
      if (nodeType(at) !== 1) break;
      const above = this.paths.get(at) ?? this.byId(at);
      if (above) {
        path = above;
        break;
      }
      steps.push(at);
    }
    for (const step of steps.reverse()) {
      const own = CSS.escape(tagOf(step)) + this.place(step).nth;
      path = path ? `${path} > ${own}` : own;
      this.paths.set(step, path);
    }
    return path;
  }

  /** @param {Element} element @returns {{at: number, nth: string}} which of the elements beside it with the same tag it is */
  place(element) {
    if (!this.places.has(element)) {
      const parent = parentNode(element);
      const byTag = new Map();
      for (let child = parent && firstChild(parent); child; child = nextSibling(child)) {
        if (nodeType(child) !== 1) continue;
        const tag = tagOf(child);
        if (byTag.has(tag)) byTag.get(tag).push(child);
        else byTag.set(tag, [child]);
      }
      for (const same of byTag.values()) {
        same.forEach((child, at) => this.places.set(child, { at: at + 1, nth: same.length > 1 ? `:nth-of-type(${at + 1})` : '' }));
      }
    }
    return this.places.get(element) ?? { at: 1, nth: '' };
  }
}

/** @param {string[]} parts @returns {string[]} each two of them */
const pairsOf = parts => parts.flatMap((one, at) => parts.slice(at + 1).map(other => one + other));
