// Waiting for the page to be other than it is: for those who wait for something in it.

/** @type {Set<() => void>} */
const whenChanged = new Set();
const announce = () => {
  for (const resolve of whenChanged) resolve();
  whenChanged.clear();
};

// What no mutation record tells, but an event does.
for (const type of ['input', 'change', 'toggle', 'transitionend', 'animationend', 'focusin', 'focusout', 'load', 'scrollend']) {
  addEventListener(type, announce, { capture: true, passive: true });
}

/**
 * Waits until something in this frame may have changed since the last look, and that has been drawn. Some changes have neither a record
 * nor an event, a value that a script sets for example: so nobody waits longer than `longest` milliseconds before looking again.
 * @param {number} longest
 */
const nextChange = longest =>
  new Promise(done => {
    // A world without our script answers with nothing at all.
    const resolve = () => done(true);
    const drawn = () => {
      requestAnimationFrame(resolve);
      setTimeout(resolve, 50);
    };
    // What has changed already, and nobody has looked at.
    if (marks > 0 || everythingStale) drawn();
    else {
      whenChanged.add(drawn);
      setTimeout(resolve, longest);
    }
  });

Object.assign(api, { nextChange });
