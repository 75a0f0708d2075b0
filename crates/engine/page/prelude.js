// Runs in every frame, in webhand's own isolated world, before any script of the page. The world is what matters: it sees the DOM, but
// none of the page's variables, and the page sees none of it. What cannot be found out later is noted here.
globalThis.webhandRelay || (() => {
  'use strict';
  /** Fields that held passwords: they still do when the page shows them as text. @type {WeakSet<Element>} */
  const passwords = (globalThis.webhandPasswords = new WeakSet());
  new MutationObserver(records => {
    for (const { target, oldValue } of records) if (oldValue?.toLowerCase() === 'password') passwords.add(target);
  }).observe(document, { subtree: true, attributeFilter: ['type'], attributeOldValue: true });
  // Whoever listens first sees a click first; see guard.js.
  const guard = (globalThis.webhandRelay = event => globalThis.webhandGuard?.(event));
  for (const type of (globalThis.webhandGuarded = ['pointerdown', 'mousedown', 'touchstart', 'pointerup', 'mouseup', 'touchend', 'click', 'auxclick', 'dblclick', 'contextmenu'])) {
    addEventListener(type, guard, { capture: true, passive: false });
  }
  // The same for keys; see typing.js.
  const keys = (globalThis.webhandKeyRelay = event => globalThis.webhandKeys?.(event));
  for (const type of (globalThis.webhandKeyed = ['keydown', 'keyup'])) addEventListener(type, keys, { capture: true, passive: false });
  // The same for dragging; see drag.js.
  const drag = event => globalThis.webhandDrag?.(event);
  for (const type of ['dragstart', 'dragover', 'drop']) addEventListener(type, drag, true);
  // A file that is dropped and that no script takes, Chromium opens: as file:, in a new tab. Here, since the page may put any frame below it.
  addEventListener('drop', event => event.isTrusted && event.dataTransfer?.types.includes('Files') && event.preventDefault(), true);
})();
