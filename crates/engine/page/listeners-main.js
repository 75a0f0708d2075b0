// Runs in every frame in the page's own world, before any script of the page, with the console's functions at hand. It leaves nothing
// behind that the page could find: one listener for an event whose name nobody can guess. Asked by that event, it answers with another
// one on each element that a script listens on, with whether for no more than the pointer above it; events are all that both worlds see.
(() => {
  const listenersOf = getEventListeners;
  const { getElementsByTagName } = Element.prototype;
  const { querySelectorAll } = DocumentFragment.prototype;
  const tagOf = Object.getOwnPropertyDescriptor(Element.prototype, 'localName').get;
  const { dispatchEvent, addEventListener } = EventTarget.prototype;
  const { composedPath } = Event.prototype;
  const detailOf = Object.getOwnPropertyDescriptor(UIEvent.prototype, 'detail').get;
  const shadowRootOf = Object.getOwnPropertyDescriptor(Element.prototype, 'shadowRoot').get;
  const { apply } = Reflect;
  const { keys, getOwnPropertyDescriptor: descriptorOf } = Object;
  const { startsWith } = String.prototype;
  const NewEvent = UIEvent;
  const ofDocument = Document.prototype.getElementsByTagName;
  let page = document;
  let all = apply(ofDocument, page, ['*']);
  // How many elements of a page are looked at again each time, and how many if it is only in passing.
  const SLICE = 2_000;
  const SMALL_SLICE = 200;

  // Elements that are controls anyway, that show nothing, or that listen for others need not be asked about.
  const SKIPPED = {
    __proto__: null, html: 1, head: 1, body: 1, script: 1, style: 1, template: 1, meta: 1, link: 1, title: 1, button: 1, input: 1, select: 1,
    textarea: 1, option: 1, optgroup: 1, summary: 1,
  };
  const MATTERS = {
    __proto__: null, click: 1, dblclick: 1, auxclick: 1, contextmenu: 1, mousedown: 1, mouseup: 1, pointerdown: 1, pointerup: 1,
    touchstart: 1, touchend: 1, keydown: 1, keyup: 1, dragstart: 1, drag: 1, dragover: 1, drop: 1,
  };
  const HOVERS = { __proto__: null, mouseenter: 1, mouseover: 1, pointerenter: 1, pointerover: 1 };
  // React keeps handlers in a property of its own on each element, Svelte and Solid in others; their one real listener is at the root.
  const HANDLERS = ['onClick', 'onDoubleClick', 'onContextMenu', 'onMouseDown', 'onMouseUp', 'onPointerDown', 'onPointerUp', 'onTouchStart', 'onKeyDown', 'onDragStart', 'onDrop'];
  const HOVER_HANDLERS = ['onMouseEnter', 'onMouseOver', 'onPointerEnter', 'onPointerOver'];
  const DELEGATED = { __proto__: null, __click: 1, $$click: 1, __mousedown: 1, $$mousedown: 1, __pointerdown: 1, $$pointerdown: 1, __keydown: 1, $$keydown: 1 };
  // Whoever listens for this many kinds of events listens for others: it is the root of an application.
  const DELEGATE = 20;
  const NOT = 0;
  const FOR_HOVERS = 1;
  const FOR_USE = 2;

  const handles = (handlers, names) => {
    for (let at = 0; at < names.length; at++) if (typeof descriptorOf(handlers, names[at])?.value === 'function') return true;
    return false;
  };

  const listens = element => {
    let kinds = 0;
    let matters = false;
    let hovers = false;
    const heard = keys(listenersOf(element));
    for (let at = 0; at < heard.length; at++) {
      kinds++;
      if (MATTERS[heard[at]]) matters = true;
      if (HOVERS[heard[at]]) hovers = true;
    }
    if (matters && kinds < DELEGATE) return FOR_USE;
    if (kinds >= DELEGATE) hovers = false;
    // Only what is stored is looked at: a getter would be the page's own code, run by us.
    const own = keys(element);
    for (let at = 0; at < own.length; at++) {
      const key = own[at];
      if (DELEGATED[key]) return FOR_USE;
      if (apply(startsWith, key, ['__reactProps$'])) {
        const handlers = descriptorOf(element, key)?.value;
        if (typeof handlers !== 'object' || handlers === null) continue;
        if (handles(handlers, HANDLERS)) return FOR_USE;
        hovers ||= handles(handlers, HOVER_HANDLERS);
      }
    }
    return hovers ? FOR_HOVERS : NOT;
  };

  const tell = (node, detail) => apply(dispatchEvent, node, [new NewEvent('__WEBHAND_TELL__', { detail, composed: true })]);

  const look = (list, from, to) => {
    for (let at = from; at < to; at++) {
      const element = list[at];
      if (SKIPPED[apply(tagOf, element, [])]) continue;
      try {
        const what = listens(element);
        if (what !== NOT) tell(element, what);
      } catch {
        // A property of the page's own that throws when it is read says nothing of the elements after it.
      }
      const root = apply(shadowRootOf, element, []);
      if (root) {
        const inner = apply(querySelectorAll, root, ['*']);
        look(inner, 0, inner.length);
      }
    }
  };

  apply(addEventListener, window, ['__WEBHAND_ASK__', event => {
    // A window that a page opened stays the same when its first, blank document gives way to the next; this script does not run again.
    if (document !== page) {
      page = document;
      all = apply(ofDocument, page, ['*']);
    }
    const asked = apply(detailOf, event, []);
    const node = apply(composedPath, event, [])[0];
    if (node !== page) {
      look([node], 0, 1);
      const below = apply(getElementsByTagName, node, ['*']);
      look(below, 0, below.length);
      return;
    }
    const { length } = all;
    const from = asked < 0 ? 0 : asked >> 1;
    const slice = asked < 0 ? length : asked & 1 ? SMALL_SLICE : SLICE;
    const to = from + slice > length ? length : from + slice;
    look(all, from, to);
    tell(page, to < length ? to : 0);
  }, true]);
})();
