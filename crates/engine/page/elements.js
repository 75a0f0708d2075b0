// The elements' numbers: what refs are made of. An element has one for as long as it lives, and no other element ever gets it.

/**
 * What is remembered of an element. It lies on our own wrapper of the element, where the page cannot see it, and lives as long.
 * @typedef {object} Memory
 * @property {number} number its number; 0 until it has been seen
 * @property {Element | null} parent where it hangs in the tree that is shown: its slot, its shadow host, its owner
 * @property {(number | string | symbol)[] | null} shown what it adds to its parent: nodes, raw text, breaks; null if never visited
 * @property {string} line the last line that told of it; '' if it is no node
 * @property {number} inherited what its parent passed on to it
 * @property {number} stale 0: nothing happened, 1: it or something in it changed, 2: everything in it may have
 * @property {number} hidden 0, or why it is not shown: see HIDDEN_
 * @property {string} state what its field held
 * @property {boolean} listens whether a script waits for clicks or keys on it
 * @property {boolean} hovers whether a script waits for the pointer to be above it
 * @property {boolean} odd whether its style was found to be other than the style sheets let expect
 * @property {boolean} pinned whether it is to be a node, though it may mean nothing: somebody named it
 * @property {boolean} asked whether somebody looked for a closed shadow root in it
 */
const MEMORY = Symbol('webhand');

/** @type {Map<number, Element>} the elements that can be named now; others only keep their number */
const elements = new Map();
let lastNumber = 0;
/** The number before the first that was given in this document. */
let numbersBefore = 0;
/** The element that was used since the last look, by its number; 0 if none was. */
let used = 0;
/** How many there may be before those are forgotten that left the page. */
let mostElements = 1000;

/** @param {Element} element @returns {Memory} */
const memoryOf = element =>
  (element[MEMORY] ??= {
    number: 0, parent: null, shown: null, line: '', inherited: 0, stale: 0, hidden: 0, state: '', listens: false, hovers: false, odd: false, asked: false, pinned: false,
  });

/** @param {Element} element @param {Memory} memory @returns {number} */
const numberOf = (element, memory = memoryOf(element)) => {
  memory.number ||= ++lastNumber;
  elements.set(memory.number, element);
  if (elements.size > mostElements) sweepElements();
  return memory.number;
};

/** @param {number} number @returns {Element | null} the element, if it is still in the page */
const elementOf = number => {
  const element = elements.get(number);
  return element && isConnected(element) ? element : null;
};

/** Forgets elements that left the page. They keep their number, in case they come back. */
const sweepElements = () => {
  for (const [number, element] of elements) if (!isConnected(element)) elements.delete(number);
  // Looking through all of them pays only when there are many new ones.
  mostElements = 2 * elements.size + 1000;
};

/** Begins with the numbers anew, as long as nobody has been told one. */
const forgetNumbers = () => {
  for (const element of elements.values()) memoryOf(element).number = 0;
  elements.clear();
  lastNumber = numbersBefore;
};

/** The document and every shadow root in it, in document order. */
function* roots(root = document) {
  yield root;
  for (const element of everythingIn(root)) {
    const inner = shadowRootOf(element);
    if (inner) yield* roots(inner);
  }
}

/**
 * The numbers of the elements that a selector means; shadow roots are looked through as well.
 * @param {'css' | 'xpath'} kind @param {string} text @returns {number[] | string} a string says what is wrong with the selector
 */
const locate = (kind, text) => {
  const found = [];
  try {
    if (kind === 'xpath') {
      const result = evaluateXPath(text);
      for (let at = 0; at < result.snapshotLength; at++) {
        if (nodeType(result.snapshotItem(at)) === 1) found.push(numberOf(result.snapshotItem(at)));
      }
    } else {
      for (const root of roots()) for (const element of select(root, text)) found.push(numberOf(element));
    }
  } catch (error) {
    return error.message;
  }
  return found;
};
