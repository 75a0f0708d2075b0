// The elements' numbers: what refs are made of. An element has one for as long as it lives, and no other element ever gets it.

/** What is remembered of an element lies on our own wrapper of it, where the page cannot see it. */
const MEMORY = Symbol('webhand');

/** @type {Map<number, Element>} the elements that can be named now; others only keep their number */
const elements = new Map();
let lastNumber = 0;

/** @param {Element} element @returns {{number: number}} what is remembered of it */
const memoryOf = element => (element[MEMORY] ??= { number: ++lastNumber });

/** @param {Element} element @returns {number} */
const numberOf = element => {
  const { number } = memoryOf(element);
  elements.set(number, element);
  return number;
};

/** @param {number} number @returns {Element | null} the element, if it is still in the page */
const elementOf = number => {
  const element = elements.get(number);
  return element && isConnected(element) ? element : null;
};

/** The document and every shadow root in it, in document order. */
function* roots(root = document) {
  yield root;
  for (const element of root.querySelectorAll('*')) {
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
      const result = document.evaluate(text, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
      for (let at = 0; at < result.snapshotLength; at++) {
        if (nodeType(result.snapshotItem(at)) === 1) found.push(numberOf(result.snapshotItem(at)));
      }
    } else {
      for (const root of roots()) for (const element of root.querySelectorAll(text)) found.push(numberOf(element));
    }
  } catch (error) {
    return error.message;
  }
  return found;
};
