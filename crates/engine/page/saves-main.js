// Runs in every frame in the page's own world, before any script of the page. A script that saves a file often makes a link for it, clicks
// that, and never puts it into the page, where its click could be seen. While an action is under way such clicks are noted; at all other
// times the page has its own functions, untouched.
(() => {
  const { addEventListener, dispatchEvent } = EventTarget.prototype;
  const { click } = HTMLElement.prototype;
  const { hasAttribute } = Element.prototype;
  const detailOf = Object.getOwnPropertyDescriptor(UIEvent.prototype, 'detail').get;
  const typeOf = Object.getOwnPropertyDescriptor(Event.prototype, 'type').get;
  const downloadOf = Object.getOwnPropertyDescriptor(HTMLAnchorElement.prototype, 'download').get;
  const { apply } = Reflect;
  const NewEvent = UIEvent;
  let page = document;

  const note = (target, event) => {
    try {
      if (event !== undefined && apply(typeOf, event, []) !== 'click') return;
      // Throws for whatever is no link.
      apply(downloadOf, target, []);
      if (apply(hasAttribute, target, ['download'])) apply(dispatchEvent, page, [new NewEvent('__WEBHAND_SAVES__')]);
    } catch {}
  };
  const noted = start =>
    new Proxy(start, {
      apply(target, self, args) {
        note(self, args[0]);
        return apply(target, self, args);
      },
    });
  const ours = { click: noted(click), dispatchEvent: noted(dispatchEvent) };

  const replace = (holder, name, from, to) => {
    // What the page has put there itself stays.
    if (holder[name] === from) holder[name] = to;
  };
  apply(addEventListener, window, ['__WEBHAND_TIMERS__', event => {
    page = document; // Another one in the same window, maybe; see listeners-main.js.
    const what = apply(detailOf, event, []);
    if (what === 1) {
      replace(HTMLElement.prototype, 'click', click, ours.click);
      replace(EventTarget.prototype, 'dispatchEvent', dispatchEvent, ours.dispatchEvent);
    } else if (what === 3) {
      replace(HTMLElement.prototype, 'click', ours.click, click);
      replace(EventTarget.prototype, 'dispatchEvent', ours.dispatchEvent, dispatchEvent);
    }
  }, true]);
})();
