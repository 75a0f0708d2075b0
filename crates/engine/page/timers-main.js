// Runs in every frame in the page's own world, before any script of the page. While an action is under way it notes the timers that the
// action starts, so that what they bring is in the action's outcome; at all other times the page has its own functions, untouched.
(() => {
  const { addEventListener, dispatchEvent } = EventTarget.prototype;
  const detailOf = Object.getOwnPropertyDescriptor(UIEvent.prototype, 'detail').get;
  const { apply } = Reflect;
  const NewEvent = UIEvent;
  const NewSet = Set;
  const { add, delete: remove, clear, has } = Set.prototype;
  const sizeOf = Object.getOwnPropertyDescriptor(Set.prototype, 'size').get;
  let page = document;
  const own = { setTimeout, clearTimeout, requestAnimationFrame, cancelAnimationFrame, setInterval, clearInterval };
  const NewProxy = Proxy;
  // A timer that is longer than this is no part of what a click does: it hides a message, or looks for news.
  const LONGEST = 400;

  // How deep what a timer starts may go on: something that starts itself again and again has no end.
  const DEEPEST = 2;

  // An interval that is longer than this draws nothing from step to step: it is a clock, or looks for news.
  const LONGEST_STEP = 100;

  // How many of its steps are waited for in any case. Who sees the page knows then whether there is something to be seen of it.
  const FIRST_STEPS = 2;

  let counts = false;
  // How many timers led to what runs now; -1 if what runs has nothing to do with the action.
  let depth = -1;
  let turns = 0;
  const pending = new NewSet();
  const tell = () => apply(dispatchEvent, page, [new NewEvent('__WEBHAND_TIMED__', { detail: apply(sizeOf, pending, []) })]);
  // Intervals that the action started and nobody has ended. Their number goes out below zero, to be told from that of the timers.
  const running = new NewSet();
  const tellStep = () => apply(dispatchEvent, page, [new NewEvent('__WEBHAND_TIMED__', { detail: -1 - apply(sizeOf, running, []) })]);
  const later = (callback, key) => apply(own.setTimeout, window, [callback, 0, key]);
  const { then } = Promise.prototype;
  // A message takes its way outside of the page, and may come later than a timer does: who has sent one after it knows that it has come.
  const NewChannel = MessageChannel;
  const { postMessage: send, start: open } = MessagePort.prototype;
  const dataOf = Object.getOwnPropertyDescriptor(MessageEvent.prototype, 'data').get;
  let channel = null;
  const afterMessages = key => {
    if (channel === null) {
      channel = new NewChannel();
      apply(addEventListener, channel.port1, ['message', event => later(over, apply(dataOf, event, []))]);
      apply(open, channel.port1, []);
    }
    apply(send, channel.port2, [key]);
  };

  const over = key => {
    if (apply(remove, pending, [key]) && apply(sizeOf, pending, []) === 0) tell();
  };
  const endTurn = turn => {
    if (turn === turns) depth = -1;
  };
  /** Calls what was waited for; what it starts counts as well, until its turn is over. */
  const run = (key, from, callback, self, args) => {
    depth = from;
    later(endTurn, ++turns);
    try {
      return apply(callback, self, args);
    } finally {
      later(over, key);
    }
  };

  /** The page's function, which also notes that something is not waited for any more. Timers and intervals have their numbers in common. */
  const ending = (cancel, prefix) => new NewProxy(cancel, {
    apply(target, self, args) {
      const key = prefix + args[0];
      over(key);
      if (apply(remove, running, [key])) tellStep();
      return apply(target, self, args);
    },
  });

  /** The page's function, which also notes what is started by the action: directly, or by what it started, as long as `goesOn` allows. */
  const wrapped = (start, cancel, prefix, goesOn) => ({
    start: new NewProxy(start, {
      apply(target, self, args) {
        const callback = args[0];
        const from = depth >= 0 ? depth + 1 : counts ? 0 : -1;
        if (from < 0 || typeof callback !== 'function' || !goesOn(from, args[1])) return apply(target, self, args);
        let key;
        args[0] = function (...given) {
          return run(key, from, callback, this, given);
        };
        const id = apply(target, self, args);
        key = prefix + id;
        apply(add, pending, [key]);
        tell();
        return id;
      },
    }),
    cancel: ending(cancel, prefix),
  });
  const timeout = wrapped(own.setTimeout, own.clearTimeout, 't', (from, time) => from <= DEEPEST && !(time > LONGEST));
  // An interval has no end of its own: its first steps are waited for, and it is said when there was another one.
  const interval = new NewProxy(own.setInterval, {
    apply(target, self, args) {
      const callback = args[0];
      const from = depth >= 0 ? depth + 1 : counts ? 0 : -1;
      if (from < 0 || from > DEEPEST || typeof callback !== 'function' || args[1] > LONGEST_STEP) return apply(target, self, args);
      let key;
      let steps = 0;
      args[0] = function (...given) {
        // The page has ended it, or another action has begun.
        if (!apply(has, running, [key])) return apply(callback, this, given);
        later(tellStep);
        return ++steps === FIRST_STEPS ? run(key, from, callback, this, given) : apply(callback, this, given);
      };
      const id = apply(target, self, args);
      key = 't' + id;
      apply(add, pending, [key]);
      apply(add, running, [key]);
      tell();
      tellStep();
      return id;
    },
  });
  // Two frames are what one waits for to see something drawn. Whatever asks for one in every frame is an animation.
  const frame = wrapped(own.requestAnimationFrame, own.cancelAnimationFrame, 'f', from => from <= 1);
  // What is put off to the next turn without a timer: messages to oneself, which is how some frameworks do their work, and ways to another page.
  let putOffs = 0;
  const putOff = start => new NewProxy(start, {
    apply(target, self, args) {
      if (counts || depth >= 0) {
        const key = 'm' + ++putOffs;
        apply(add, pending, [key]);
        tell();
        const answer = apply(target, self, args);
        afterMessages(key);
        return answer;
      }
      return apply(target, self, args);
    },
  });
  // What the page is just reading of answers. An answer that nobody reads is not waited for to its end.
  const reads = new NewSet();
  const tellReads = () => apply(dispatchEvent, page, [new NewEvent('__WEBHAND_READS__', { detail: apply(sizeOf, reads, []) })]);
  // What the page is promised from outside: an answer, and what it reads of one. The request may be over long before the page knows.
  const promised = (isOurs, isReading) => start => new NewProxy(start, {
    apply(target, self, args) {
      if (!isOurs()) return apply(target, self, args);
      const key = 'm' + ++putOffs;
      apply(add, pending, [key]);
      tell();
      if (isReading) {
        apply(add, reads, [key]);
        tellReads();
      }
      const kept = () => {
        if (isReading && apply(remove, reads, [key])) tellReads();
        depth = 0;
        later(endTurn, ++turns);
        later(over, key);
      };
      // The page gets what follows from ours: a failure that it does not deal with is still one.
      return apply(then, apply(target, self, args), [value => (kept(), value), error => {
        kept();
        throw error;
      }]);
    },
  });
  const answer = promised(() => counts || depth >= 0, false);
  // Whatever is read now may be an answer to what was asked for by the action.
  const reading = promised(() => true, true);
  // Whoever reads a stream piece by piece reads it to its end, as far as we know.
  const streaming = start => new NewProxy(start, {
    apply(target, self, args) {
      apply(add, reads, ['stream']);
      tellReads();
      return apply(target, self, args);
    },
  });
  const stream = ReadableStream.prototype;
  const streamers = ['getReader', 'pipeTo', 'pipeThrough', 'tee', 'values', Symbol.asyncIterator].filter(name => name in stream);
  const past = History.prototype;
  const answers = Response.prototype;
  const readers = ['json', 'text', 'blob', 'arrayBuffer', 'formData', 'bytes'].filter(name => name in answers);
  const names = [
    'setTimeout', 'clearTimeout', 'requestAnimationFrame', 'cancelAnimationFrame', 'setInterval', 'clearInterval', 'postMessage', 'submit', 'back', 'forward', 'go', 'fetch', ...readers, ...streamers,
  ];
  const holders = [window, window, window, window, window, window, MessagePort.prototype, HTMLFormElement.prototype, past, past, past, window, ...readers.map(() => answers), ...streamers.map(() => stream)];
  const ours = {
    setTimeout: timeout.start, clearTimeout: timeout.cancel, requestAnimationFrame: frame.start, cancelAnimationFrame: frame.cancel,
    setInterval: interval, clearInterval: ending(own.clearInterval, 't'),
  };
  for (let at = 6; at < names.length; at++) {
    own[names[at]] = holders[at][names[at]];
    ours[names[at]] = (names[at] === 'fetch' ? answer : holders[at] === answers ? reading : holders[at] === stream ? streaming : putOff)(own[names[at]]);
  }

  const replace = (from, to) => {
    for (let at = 0; at < names.length; at++) {
      // What the page has put there itself stays.
      if (holders[at][names[at]] === from[names[at]]) holders[at][names[at]] = to[names[at]];
    }
  };

  apply(addEventListener, window, ['__WEBHAND_TIMERS__', event => {
    page = document; // Another one in the same window, maybe; see listeners-main.js.
    const what = apply(detailOf, event, []);
    if (what === 1) {
      apply(clear, pending, []);
      apply(clear, running, []);
      apply(clear, reads, []);
      counts = true;
      replace(own, ours);
    } else if (what === 2) {
      counts = false;
      tell();
    } else {
      counts = false;
      apply(clear, running, []);
      replace(ours, own);
    }
  }, true]);
})();
