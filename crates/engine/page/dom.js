// The files of this folder, in one closure: what the world of a frame is given when somebody first asks it something.
'use strict';

/** What the engine can call. @type {Record<string, Function>} */
const api = {};

// The DOM as the browser made it. A form lets its fields stand in for its own properties (`<input name="firstChild">`), so nothing
// here reads a property off an element that might be one: the accessors come from the prototypes, once.

/** @template T @param {object} prototype @param {string} name @returns {(node: any) => T} */
const getter = (prototype, name) => {
  const { get } = Object.getOwnPropertyDescriptor(prototype, name);
  return node => get.call(node);
};

/** @type {(node: Node) => number} 1 element, 3 text, 11 shadow root */
const nodeType = getter(Node.prototype, 'nodeType');
/** @type {(node: Node) => Node | null} */
const firstChild = getter(Node.prototype, 'firstChild');
/** @type {(node: Node) => Node | null} */
const nextSibling = getter(Node.prototype, 'nextSibling');
/** @type {(node: Node) => Node | null} */
const parentNode = getter(Node.prototype, 'parentNode');
/** @type {(node: Node) => boolean} */
const isConnected = getter(Node.prototype, 'isConnected');
/** @type {(node: Node) => string} */
const textContent = getter(Node.prototype, 'textContent');
/** @type {(text: Text) => string} */
const data = getter(CharacterData.prototype, 'data');
/** @type {(element: Element) => string} the tag in lower case */
const tagOf = getter(Element.prototype, 'localName');
/** @type {(element: Element) => ShadowRoot | null} an open one; closed ones are in `closedRoots` */
const openRoot = getter(Element.prototype, 'shadowRoot');
/** @type {(element: Element) => string | null} */
const namespaceOf = getter(Element.prototype, 'namespaceURI');

const { getAttribute, hasAttribute, hasAttributes, getBoundingClientRect, matches: matchesSelector, checkVisibility, closest: closestMatch } =
  Element.prototype;
/** @type {(element: Element, name: string) => string | null} */
const attribute = (element, name) => getAttribute.call(element, name);
/** @type {(element: Element, name: string) => boolean} */
const has = (element, name) => hasAttribute.call(element, name);
/** @type {(element: Element) => boolean} one cheap call that saves a dozen on the elements of a large table */
const hasAny = element => hasAttributes.call(element);
/** @type {(element: Element) => DOMRect} */
const boxOf = element => getBoundingClientRect.call(element);
/** @type {(element: Element, selector: string) => boolean} */
const matches = (element, selector) => matchesSelector.call(element, selector);
/** @type {(element: Element, selector: string) => Element | null} */
const closest = (element, selector) => closestMatch.call(element, selector);
/** @type {(element: Element) => boolean} whether it is laid out at all: no `display: none`, no `content-visibility: hidden` around it */
const isRendered = element => checkVisibility.call(element);
/** @type {(element: Element, pseudo?: string) => CSSStyleDeclaration} */
const styleOf = (element, pseudo) => getComputedStyle(element, pseudo);
/** Whether it draws what is typed into it elsewhere, by itself, and is itself next to nothing. @type {(element: Element) => boolean} */
const isOwnEditor = element => element instanceof HTMLElement && editContextOf(element) !== null;
const editContextOf = 'editContext' in HTMLElement.prototype ? getter(HTMLElement.prototype, 'editContext') : () => null;
const nodeContains = Node.prototype.contains;
/** @type {(outer: Node, inner: Node) => boolean} whether one is in the other, or is it */
const contains = (outer, inner) => nodeContains.call(outer, inner);
const getRootNodeOf = Node.prototype.getRootNode;
/** @type {(node: Node) => Document | ShadowRoot} the tree in which ids are looked up */
const rootOf = node => getRootNodeOf.call(node);

const selectors = [Document, DocumentFragment, Element].map(({ prototype }) => [prototype, prototype.querySelectorAll]);
/** @type {(root: ParentNode, selector: string) => NodeListOf<Element>} */
const select = (root, selector) =>
  selectors.find(([prototype]) => prototype.isPrototypeOf(root))[1].call(root, selector);
/** @type {(root: ParentNode) => NodeListOf<Element>} */
const everythingIn = root => select(root, '*');
const { evaluate } = Document.prototype;
/** @type {(expression: string) => XPathResult} */
const evaluateXPath = expression =>
  evaluate.call(document, expression, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
/** @type {(document: Document) => string} */
const titleOf = getter(Document.prototype, 'title');
const firstElementIn = getter(Element.prototype, 'firstElementChild');
/** @type {(document: Document) => Element | null} */
const documentElement = getter(Document.prototype, 'documentElement');
/** @type {(document: Document) => Element | null} */
const bodyOf = getter(Document.prototype, 'body');


/** Closed shadow roots that were found from outside, by their hosts. @type {WeakMap<Element, ShadowRoot>} */
const closedRoots = new WeakMap();
/** @type {(element: Element) => ShadowRoot | null} */
const shadowRootOf = element => openRoot(element) ?? closedRoots.get(element) ?? null;

const SPACES = /[\s\u200b]+/g;
/** @type {(text: string) => string} white space as it is shown: one blank at most, none at the ends */
const flat = text => text.replace(SPACES, ' ').trim();
