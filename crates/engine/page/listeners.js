// Which elements a script listens on. Only the page's own world knows; see listeners-main.js for how it is asked.

const ASK = '__WEBHAND_ASK__';
const TELL = '__WEBHAND_TELL__';
/** Where the part of the page begins that is asked about again in the next look, beside what is new. */
let sliceFrom = 0;
/** When more elements than this were put in, asking about the whole page is cheaper. */
const MOST_FRESH = 50;

/** A script waits for no more than the pointer above the element; see listeners-main.js. */
const FOR_HOVERS = 1;

let asking = false;
addEventListener(TELL, event => {
  // Nobody else should know the name; if somebody does, nothing comes of it.
  if (!asking) return;
  const element = event.composedPath()[0];
  if (element === document) {
    sliceFrom = event.detail;
    return;
  }
  if (!(element instanceof Element)) return;
  const memory = memoryOf(element);
  const what = event.detail === FOR_HOVERS ? 'hovers' : 'listens';
  if (!memory[what]) {
    memory[what] = true;
    if (!everythingStale) mark(element, 1);
  }
}, true);

const dispatch = EventTarget.prototype.dispatchEvent;
/** @param {Node} node @param {number} from -1: everything in it; otherwise twice where a slice of the document begins, and one more for a small one */
const askListeners = (node, from) => {
  asking = true;
  dispatch.call(node, new UIEvent(ASK, { detail: from, composed: true }));
  asking = false;
};

/** Marks elements that a script listens on since we last looked; all of them the first time. */
const findListeners = () => {
  if (everythingStale || fresh.length > MOST_FRESH) return askListeners(document, -1);
  for (const element of fresh) if (isConnected(element)) askListeners(element, -1);
  askListeners(document, sliceFrom * 2 + Number(inPassing));
};
