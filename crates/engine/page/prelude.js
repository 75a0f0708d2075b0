// Runs in every frame, in webhand's own isolated world, before any script of the page. The world is what matters: it sees the DOM,
// but none of the page's variables, and the page sees none of it. The other files of this folder follow, in one closure.
'use strict';

/** What the engine can call. @type {Record<string, Function>} */
const api = {};
